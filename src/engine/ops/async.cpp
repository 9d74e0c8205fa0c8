// LDGSTS (cp.async): global to shared memory without a register between. The copy is done where it is issued; a program
// that waits for it as it must sees no difference.
#include "engine/ops/access.h"
#include "engine/ops/families.h"

namespace lanescope::engine::LANESCOPE_TARGET {
namespace {

using isa::Modifier;
using sass::Instruction;

// Source: sources 0 and 1 and immediate, as of any global access. Destination: source 2 + extra[0]. Lanes whose
// predicate source 0 is false write zeros and read nothing.
struct Ldgsts {
  template <bool kMasked>
  static void run(Context& ctx, const MicroOp& op, u32 mask) {
    const u32 bytes = op.extra[1] >> 8 & 31;
    const bool bypass = (op.extra[1] >> 16 & 1) != 0;
    const u32 reading = mask & predicate(ctx, op, 0);
    Addresses address, host, wide;
    form_addresses(ctx, op, address);
    const u64 low_bits = (op.extra[1] >> 17 & 1) != 0 ? bytes - 1 : 0;
    u64 zeros[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      zeros[l] = address.lane[l] & low_bits;
      address.lane[l] -= zeros[l];
    }
    alignas(64) u32 offset[kLanes];
    const u32* to = source(ctx, op, 2);
    for (int l = 0; l < kLanes; ++l) offset[l] = to[l] + op.extra[0];
    if (reading != 0) {
      reach_global(ctx, op, reading, address, bytes, host);
      notify(ctx, op, reading, Space::kGlobal, Access::kAsyncRead, bytes, address.lane);
    }
    reach_shared(ctx, op, mask, offset, bytes);
    widen(offset, wide);
    notify(ctx, op, mask, Space::kShared, bypass ? Access::kAsyncWriteBypass : Access::kAsyncWrite, bytes, wide.lane);
    for_lanes(mask, [&](int l) {
      u8* d = ctx.shared + offset[l];
      const u64 copied = (reading >> l & 1) != 0 ? bytes - zeros[l] : 0;
      std::memcpy(d, reinterpret_cast<const u8*>(host.lane[l]), copied);
      std::memset(d + copied, 0, bytes - copied);
    });
  }
};

bool lower_ldgsts(const Instruction& in, MicroOp& op, Builder& b) {
  const u32 width = in.modifier(Modifier::kWidth);
  if (width < 4 || width > 6 || in.address2.uniform >= 0) return false;
  lower_address(in.address, op, b);
  b.reg(op, 2, in.address2.base);
  b.predicates(op, in);
  op.extra[0] = static_cast<u32>(in.address2.offset);
  op.extra[1] |=
      (4u << (width - 4)) << 8 | in.modifier(Modifier::kBypass) << 16 | in.modifier(Modifier::kZeroFill) << 17;
  bind<Ldgsts>(op);
  return true;
}

constexpr LowerEntry kEntries[] = {{isa::Executor::kLdgsts, lower_ldgsts}};

}  // namespace

std::span<const LowerEntry> async_operations() { return kEntries; }

}  // namespace lanescope::engine::LANESCOPE_TARGET
