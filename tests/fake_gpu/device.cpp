// A fake GPU: looks to torch like a GPU named "fake", and computes on the CPU.
//
// Its tensors lie in ordinary memory under a device of their own (torch's PrivateUse1), so whatever
// is made on the wrong device meets them with the error that a GPU would give. Every operation
// without a kernel below is handed to the CPU's. Registered when the library is loaded.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/library.h>

#include <cstring>

namespace {

constexpr auto kFake = c10::DeviceType::PrivateUse1;
const c10::Device kDevice(kFake, 0);

struct FakeAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    void* data = bytes ? c10::alloc_cpu(bytes) : nullptr;
    return {data, data, &c10::free_cpu, kDevice};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &c10::free_cpu; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};
FakeAllocator allocator;
REGISTER_ALLOCATOR(kFake, &allocator);

struct FakeGuard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kFake; }
  c10::Device exchangeDevice(c10::Device) const override { return kDevice; }
  c10::Device getDevice() const override { return kDevice; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device device) const override { return c10::Stream(c10::Stream::DEFAULT, device); }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  void destroyEvent(void*, c10::DeviceIndex) const noexcept override {}
  void record(void**, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, FakeGuard);

// Looks like a generator of the device; draws from a CPU generator inside.
struct FakeGenerator final : c10::GeneratorImpl {
  at::Generator inner = at::make_generator<at::CPUGeneratorImpl>();

  FakeGenerator() : GeneratorImpl(kDevice, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}
  void set_current_seed(uint64_t seed) override { inner.set_current_seed(seed); }
  void set_offset(uint64_t) override {}
  uint64_t get_offset() const override { return 0; }
  uint64_t current_seed() const override { return inner.current_seed(); }
  uint64_t seed() override { return inner.seed(); }
  void set_state(const c10::TensorImpl& state) override { inner.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return inner.unsafeGetGeneratorImpl()->get_state();
  }
  FakeGenerator* clone_impl() const override { return new FakeGenerator(); }
};

struct FakeHooks final : at::PrivateUse1HooksInterface {
  bool isAvailable() const override { return true; }
  bool isBuilt() const override { return true; }
  void init() const override {}
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  at::Generator getNewGenerator(c10::DeviceIndex) const override {
    return at::make_generator<FakeGenerator>();
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    static at::Generator generator = at::make_generator<FakeGenerator>();
    return generator;
  }
};

const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(new FakeHooks());
  return true;
}();

// As with CUDA, an index beyond what it is to index ends all work on the device in this process.
bool gave_up = false;

void require_work() { TORCH_CHECK(!gave_up, "CUDA error: device-side assert triggered"); }

at::Tensor on_host(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return tensor;
  require_work();
  return at::from_blob(tensor.mutable_data_ptr(), tensor.sizes(), tensor.strides(),
                       at::dtype(tensor.scalar_type()));
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                 std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &allocator,
                                           c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           c10::dtype_or_default(dtype));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  on_host(to).copy_(on_host(from));
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  if (from.sizes() != to.sizes()) to.resize_(from.sizes());
  return copy_from(from, to, false);
}

at::Scalar local_scalar(const at::Tensor& tensor) { return on_host(tensor).item(); }

const at::Tensor& resize(const at::Tensor& tensor, at::IntArrayRef size, std::optional<at::MemoryFormat>) {
  if (tensor.sizes() == size) return tensor;
  auto* impl = tensor.unsafeGetTensorImpl();
  impl->set_sizes_contiguous(size);
  size_t bytes = at::detail::computeStorageNbytesContiguous(size, tensor.itemsize(), tensor.storage_offset());
  if (bytes > tensor.storage().nbytes()) {
    auto data = allocator.allocate(bytes);
    if (tensor.storage().nbytes()) std::memcpy(data.get(), tensor.storage().data(), tensor.storage().nbytes());
    auto storage = tensor.storage();
    storage.set_data_ptr_noswap(std::move(data));
    storage.set_nbytes(bytes);
  }
  return tensor;
}

at::Tensor& set_storage(at::Tensor& result, at::Storage storage, int64_t offset, at::IntArrayRef size,
                        at::IntArrayRef stride) {
  result.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(storage));
  result.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride, offset);
  return result;
}

struct Places {
  bool fake = false, cpu = false;

  void note(const at::Tensor& tensor) {
    if (!tensor.defined()) return;
    if (tensor.device().type() == kFake) fake = true;
    else if (tensor.dim() > 0) cpu = true;  // a single number from the CPU is welcome on a GPU
  }
};

// Generators of this device are wrapped CPU generators, and only they are accepted.
c10::IValue unwrapped(const c10::IValue& value) {
  auto generator = value.toGenerator();
  TORCH_CHECK(generator.device().type() == kFake, "Expected a 'fake' device type for generator but found '",
              generator.device(), "'");
  return generator.get<FakeGenerator>()->inner;
}

bool is_beyond(const c10::Error& error) {
  for (const char* said : {"index out of range", "out of bounds", "probability tensor contains"})
    if (std::strstr(error.what_without_backtrace(), said)) return true;
  return false;
}

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  require_work();
  Places places;
  const size_t first = stack->size() - op.schema().arguments().size();
  for (size_t i = first; i < stack->size(); ++i) {
    auto& value = (*stack)[i];
    if (value.isTensor()) places.note(value.toTensor());
    if (value.isTensorList()) for (const at::Tensor& tensor : value.toTensorVector()) places.note(tensor);
    if (value.isGenerator()) value = unwrapped(value);
  }
  const bool may_mix = op.schema().name().find("index") != std::string::npos;  // indices may be on the CPU
  TORCH_CHECK(may_mix || !(places.fake && places.cpu),
              "Expected all tensors to be on the same device, but found at least two devices, fake:0 and cpu!");
  try {
    at::native::cpu_fallback(op, stack, /*error_on_views=*/false);
  } catch (const c10::Error& error) {
    gave_up = is_beyond(error);
    require_work();
    throw;
  }
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>()); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("view", at::native::view);
  m.impl("unfold", at::native::unfold);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar);
  m.impl("resize_", resize);
  m.impl("set_.source_Storage_storage_offset", set_storage);
}

// Under autocast, products come out in the lower precision, as they do on a GPU.
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  KERNEL_PRIVATEUSEONE(linear, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(matmul, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(mm, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(bmm, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(addmm, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(baddbmm, lower_precision_fp)
}
