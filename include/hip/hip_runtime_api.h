//===- hip/hip_runtime_api.h - the host functions of the HIP runtime ------------------------------===//
//
// The functions that compute programs use, with the names and numbers of HIP 6. libwavewright_hip.so defines them over
// the built-in device. Sizes are in bytes; grids are in work-groups and blocks in work-items.
//
//===----------------------------------------------------------------------------------------------===//
#pragma once

#include "hip_common.h"
#include "hip_version.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define HIP_DEFAULT(value) = value
extern "C" {
#else
#define HIP_DEFAULT(value)
#endif

// Errors ---------------------------------------------------------------------------------------------

typedef enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized = 3,
  hipErrorInitializationError = 3,
  hipErrorDeinitialized = 4,
  hipErrorProfilerDisabled = 5,
  hipErrorProfilerNotInitialized = 6,
  hipErrorProfilerAlreadyStarted = 7,
  hipErrorProfilerAlreadyStopped = 8,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidPitchValue = 12,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorInsufficientDriver = 35,
  hipErrorMissingConfiguration = 52,
  hipErrorPriorLaunchFailure = 53,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorInvalidContext = 201,
  hipErrorContextAlreadyCurrent = 202,
  hipErrorMapFailed = 205,
  hipErrorUnmapFailed = 206,
  hipErrorArrayIsMapped = 207,
  hipErrorAlreadyMapped = 208,
  hipErrorNoBinaryForGpu = 209,
  hipErrorAlreadyAcquired = 210,
  hipErrorNotMapped = 211,
  hipErrorNotMappedAsArray = 212,
  hipErrorNotMappedAsPointer = 213,
  hipErrorECCNotCorrectable = 214,
  hipErrorUnsupportedLimit = 215,
  hipErrorContextAlreadyInUse = 216,
  hipErrorPeerAccessUnsupported = 217,
  hipErrorInvalidKernelFile = 218,
  hipErrorInvalidGraphicsContext = 219,
  hipErrorInvalidSource = 300,
  hipErrorFileNotFound = 301,
  hipErrorSharedObjectSymbolNotFound = 302,
  hipErrorSharedObjectInitFailed = 303,
  hipErrorOperatingSystem = 304,
  hipErrorInvalidHandle = 400,
  hipErrorInvalidResourceHandle = 400,
  hipErrorIllegalState = 401,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701,
  hipErrorLaunchTimeOut = 702,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorPeerAccessNotEnabled = 705,
  hipErrorSetOnActiveProcess = 708,
  hipErrorContextIsDestroyed = 709,
  hipErrorAssert = 710,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713,
  hipErrorLaunchFailure = 719,
  hipErrorCooperativeLaunchTooLarge = 720,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900,
  hipErrorStreamCaptureInvalidated = 901,
  hipErrorStreamCaptureMerge = 902,
  hipErrorStreamCaptureUnmatched = 903,
  hipErrorStreamCaptureUnjoined = 904,
  hipErrorStreamCaptureIsolation = 905,
  hipErrorStreamCaptureImplicit = 906,
  hipErrorCapturedEvent = 907,
  hipErrorStreamCaptureWrongThread = 908,
  hipErrorGraphExecUpdateFailure = 910,
  hipErrorUnknown = 999,
  hipErrorRuntimeMemory = 1052,
  hipErrorRuntimeOther = 1053,
  hipErrorTbd
} hipError_t;

const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);
hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
/// The last failure of this thread; the first clears it, the second does not.
hipError_t hipGetLastError(void);
hipError_t hipExtGetLastError(void);
hipError_t hipPeekAtLastError(void);

// Handles and plain types ----------------------------------------------------------------------------

typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef struct ihipMemPoolHandle_t *hipMemPool_t;
typedef int hipDevice_t;
typedef void *hipDeviceptr_t;

typedef struct dim3 {
  uint32_t x, y, z;
#ifdef __cplusplus
#if defined(__HIP__)
  __attribute__((host)) __attribute__((device))
#endif
  constexpr dim3(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1)
      : x(x), y(y), z(z) {
  }
#endif
} dim3;

#define hipStreamDefault 0x00
#define hipStreamNonBlocking 0x01
#define hipStreamLegacy ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)
#define hipEventDefault 0x0
#define hipEventBlockingSync 0x1
#define hipEventDisableTiming 0x2
#define hipEventInterprocess 0x4
#define hipEventDisableSystemFence 0x20000000
#define hipEventReleaseToDevice 0x40000000
#define hipEventReleaseToSystem 0x80000000
#define hipEventRecordDefault 0x0
#define hipEventWaitDefault 0x0
#define hipHostMallocDefault 0x0
#define hipHostMallocPortable 0x1
#define hipHostMallocMapped 0x2
#define hipHostMallocWriteCombined 0x4
#define hipHostMallocNumaUser 0x20000000
#define hipHostMallocCoherent 0x40000000
#define hipHostMallocNonCoherent 0x80000000
#define hipHostAllocDefault 0x0
#define hipHostAllocPortable 0x1
#define hipHostAllocMapped 0x2
#define hipHostAllocWriteCombined 0x4
#define hipHostRegisterDefault 0x0
#define hipHostRegisterPortable 0x1
#define hipHostRegisterMapped 0x2
#define hipHostRegisterIoMemory 0x4
#define hipHostRegisterReadOnly 0x08
#define hipMemAttachGlobal 0x01
#define hipMemAttachHost 0x02
#define hipMemAttachSingle 0x04
#define hipDeviceMallocDefault 0x0
#define hipDeviceMallocFinegrained 0x1
#define hipMallocSignalMemory 0x2
#define hipDeviceMallocUncached 0x3
#define hipDeviceScheduleAuto 0x0
#define hipDeviceScheduleSpin 0x1
#define hipDeviceScheduleYield 0x2
#define hipDeviceScheduleBlockingSync 0x4
#define hipDeviceMapHost 0x8
#define hipDeviceLmemResizeToMax 0x10
#define hipCooperativeLaunchMultiDeviceNoPreSync 0x01
#define hipCooperativeLaunchMultiDeviceNoPostSync 0x02
#define hipCpuDeviceId ((int)-1)
#define hipInvalidDeviceId ((int)-2)
#define hipOccupancyDefault 0x00
#define hipOccupancyDisableCachingOverride 0x01

#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define HIP_LAUNCH_PARAM_END ((void *)0x03)

typedef enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
  hipMemcpyDeviceToDeviceNoCU = 1024
} hipMemcpyKind;

typedef enum hipMemoryType {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3,
  hipMemoryTypeArray = 10,
  hipMemoryTypeUnified = 11
} hipMemoryType;

typedef struct hipPointerAttribute_t {
  enum hipMemoryType type;
  int device;
  void *devicePointer;
  void *hostPointer;
  int isManaged;
  unsigned allocationFlags;
} hipPointerAttribute_t;

typedef enum hipFuncCache_t {
  hipFuncCachePreferNone,
  hipFuncCachePreferShared,
  hipFuncCachePreferL1,
  hipFuncCachePreferEqual
} hipFuncCache_t;
typedef enum hipSharedMemConfig {
  hipSharedMemBankSizeDefault,
  hipSharedMemBankSizeFourByte,
  hipSharedMemBankSizeEightByte
} hipSharedMemConfig;
typedef enum hipLimit_t {
  hipLimitStackSize = 0x0,
  hipLimitPrintfFifoSize = 0x01,
  hipLimitMallocHeapSize = 0x02,
  hipLimitRange
} hipLimit_t;
typedef enum hipComputeMode {
  hipComputeModeDefault,
  hipComputeModeExclusive,
  hipComputeModeProhibited,
  hipComputeModeExclusiveProcess
} hipComputeMode;

typedef enum hipMemoryAdvise {
  hipMemAdviseSetReadMostly = 1,
  hipMemAdviseUnsetReadMostly = 2,
  hipMemAdviseSetPreferredLocation = 3,
  hipMemAdviseUnsetPreferredLocation = 4,
  hipMemAdviseSetAccessedBy = 5,
  hipMemAdviseUnsetAccessedBy = 6,
  hipMemAdviseSetCoarseGrain = 100,
  hipMemAdviseUnsetCoarseGrain = 101
} hipMemoryAdvise;

typedef enum hipFuncAttribute {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8,
  hipFuncAttributePreferredSharedMemoryCarveout = 9,
  hipFuncAttributeMax
} hipFuncAttribute;
typedef enum hipFunction_attribute {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_NUM_REGS,
  HIP_FUNC_ATTRIBUTE_PTX_VERSION,
  HIP_FUNC_ATTRIBUTE_BINARY_VERSION,
  HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
  HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
  HIP_FUNC_ATTRIBUTE_MAX
} hipFunction_attribute;

typedef struct hipFuncAttributes {
  int binaryVersion;
  int cacheModeCA;
  size_t constSizeBytes;
  size_t localSizeBytes; ///< scratch of a work-item
  int maxDynamicSharedSizeBytes;
  int maxThreadsPerBlock;
  int numRegs; ///< VGPRs of a wave
  int preferredShmemCarveout;
  int ptxVersion;
  size_t sharedSizeBytes; ///< static LDS of a work-group
} hipFuncAttributes;

typedef struct hipUUID_t {
  char bytes[16];
} hipUUID;

typedef struct hipDeviceArch_t {
  unsigned hasGlobalInt32Atomics : 1;
  unsigned hasGlobalFloatAtomicExch : 1;
  unsigned hasSharedInt32Atomics : 1;
  unsigned hasSharedFloatAtomicExch : 1;
  unsigned hasFloatAtomicAdd : 1;
  unsigned hasGlobalInt64Atomics : 1;
  unsigned hasSharedInt64Atomics : 1;
  unsigned hasDoubles : 1;
  unsigned hasWarpVote : 1;
  unsigned hasWarpBallot : 1;
  unsigned hasWarpShuffle : 1;
  unsigned hasFunnelShift : 1;
  unsigned hasThreadFenceSystem : 1;
  unsigned hasSyncThreadsExt : 1;
  unsigned hasSurfaceFuncs : 1;
  unsigned has3dGrid : 1;
  unsigned hasDynamicParallelism : 1;
} hipDeviceArch_t;

typedef struct hipDeviceProp_t {
  char name[256];
  hipUUID uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate; ///< kHz
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment;
  size_t texturePitchAlignment;
  int deviceOverlap;
  int multiProcessorCount; ///< CUs, on RDNA WGPs
  int kernelExecTimeoutEnabled;
  int integrated;
  int canMapHostMemory;
  int computeMode;
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID, pciDeviceID, pciDomainID;
  int tccDriver;
  int asyncEngineCount;
  int unifiedAddressing;
  int memoryClockRate; ///< kHz
  int memoryBusWidth;  ///< bits
  int l2CacheSize;
  int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  int multiGpuBoardGroupID;
  int hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int computePreemptionSupported;
  int canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables;
  int directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported;
  int memoryPoolsSupported;
  char gcnArchName[256]; ///< "gfx942:sramecc+:xnack-"
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate; ///< kHz of clock64's and wall_clock64's counters
  hipDeviceArch_t arch;
  int isLargeBar;
  int asicRevision;
} hipDeviceProp_t;

typedef enum hipDeviceAttribute_t {
  hipDeviceAttributeEccEnabled = 0,
  hipDeviceAttributeAccessPolicyMaxWindowSize,
  hipDeviceAttributeAsyncEngineCount,
  hipDeviceAttributeCanMapHostMemory,
  hipDeviceAttributeCanUseHostPointerForRegisteredMem,
  hipDeviceAttributeClockRate,
  hipDeviceAttributeComputeMode,
  hipDeviceAttributeComputePreemptionSupported,
  hipDeviceAttributeConcurrentKernels,
  hipDeviceAttributeConcurrentManagedAccess,
  hipDeviceAttributeCooperativeLaunch,
  hipDeviceAttributeCooperativeMultiDeviceLaunch,
  hipDeviceAttributeDeviceOverlap,
  hipDeviceAttributeDirectManagedMemAccessFromHost,
  hipDeviceAttributeGlobalL1CacheSupported,
  hipDeviceAttributeHostNativeAtomicSupported,
  hipDeviceAttributeIntegrated,
  hipDeviceAttributeIsMultiGpuBoard,
  hipDeviceAttributeKernelExecTimeout,
  hipDeviceAttributeL2CacheSize,
  hipDeviceAttributeLocalL1CacheSupported,
  hipDeviceAttributeLuid,
  hipDeviceAttributeLuidDeviceNodeMask,
  hipDeviceAttributeComputeCapabilityMajor,
  hipDeviceAttributeManagedMemory,
  hipDeviceAttributeMaxBlocksPerMultiProcessor,
  hipDeviceAttributeMaxBlockDimX,
  hipDeviceAttributeMaxBlockDimY,
  hipDeviceAttributeMaxBlockDimZ,
  hipDeviceAttributeMaxGridDimX,
  hipDeviceAttributeMaxGridDimY,
  hipDeviceAttributeMaxGridDimZ,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMaxThreadsPerMultiProcessor,
  hipDeviceAttributeMaxPitch,
  hipDeviceAttributeMemoryBusWidth,
  hipDeviceAttributeMemoryClockRate,
  hipDeviceAttributeComputeCapabilityMinor,
  hipDeviceAttributeMultiGpuBoardGroupID,
  hipDeviceAttributeMultiprocessorCount,
  hipDeviceAttributePageableMemoryAccess = 65,
  hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
  hipDeviceAttributePciBusId,
  hipDeviceAttributePciDeviceId,
  hipDeviceAttributePciDomainId,
  hipDeviceAttributePersistingL2CacheMaxSize,
  hipDeviceAttributeMaxRegistersPerBlock,
  hipDeviceAttributeMaxRegistersPerMultiprocessor,
  hipDeviceAttributeReservedSharedMemPerBlock,
  hipDeviceAttributeMaxSharedMemoryPerBlock,
  hipDeviceAttributeSharedMemPerBlockOptin,
  hipDeviceAttributeSharedMemPerMultiprocessor,
  hipDeviceAttributeSingleToDoublePrecisionPerfRatio,
  hipDeviceAttributeStreamPrioritiesSupported,
  hipDeviceAttributeSurfaceAlignment,
  hipDeviceAttributeTccDriver,
  hipDeviceAttributeTextureAlignment,
  hipDeviceAttributeTexturePitchAlignment,
  hipDeviceAttributeTotalConstantMemory,
  hipDeviceAttributeTotalGlobalMem,
  hipDeviceAttributeUnifiedAddressing,
  hipDeviceAttributeWarpSize = 87,
  hipDeviceAttributeMemoryPoolsSupported,
  hipDeviceAttributeVirtualMemoryManagementSupported,
  hipDeviceAttributeHostRegisterSupported,
  hipDeviceAttributeClockInstructionRate = 10000,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002,
  hipDeviceAttributeIsLargeBar = 10015,
  hipDeviceAttributeAsicRevision,
  hipDeviceAttributeCanUseStreamWaitValue,
  hipDeviceAttributeImageSupport,
  hipDeviceAttributePhysicalMultiProcessorCount,
  hipDeviceAttributeFineGrainSupport,
  hipDeviceAttributeWallClockRate
} hipDeviceAttribute_t;

// Device ---------------------------------------------------------------------------------------------

hipError_t hipInit(unsigned flags);
hipError_t hipDriverGetVersion(int *version);
hipError_t hipRuntimeGetVersion(int *version);
hipError_t hipGetDeviceCount(int *count);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int *device);
hipError_t hipSetValidDevices(int *devices, int count);
hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *wanted);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t *properties, int device);
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device);
hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
hipError_t hipDeviceGetPCIBusId(char *id, int length, int device);
hipError_t hipDeviceGetByPCIBusId(int *device, const char *id);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipSetDeviceFlags(unsigned flags);
hipError_t hipGetDeviceFlags(unsigned *flags);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config);
hipError_t hipDeviceGetLimit(size_t *value, hipLimit_t limit);
hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value);
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
hipError_t hipDeviceDisablePeerAccess(int peer);
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t device);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device);
hipError_t hipCtxGetCurrent(hipCtx_t *context);
hipError_t hipCtxSetCurrent(hipCtx_t context);
hipError_t hipCtxGetDevice(hipDevice_t *device);
hipError_t hipCtxSynchronize(void);
hipError_t hipProfilerStart(void);
hipError_t hipProfilerStop(void);

// Memory ---------------------------------------------------------------------------------------------

hipError_t hipMalloc(void **pointer, size_t bytes);
hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned flags);
hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned flags HIP_DEFAULT(hipMemAttachGlobal));
hipError_t hipMallocHost(void **pointer, size_t bytes);
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags HIP_DEFAULT(hipHostMallocDefault));
hipError_t hipHostAlloc(void **pointer, size_t bytes, unsigned flags);
hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags);
hipError_t hipHostGetFlags(unsigned *flags, void *host);
hipError_t hipHostRegister(void *host, size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void *host);
hipError_t hipFree(void *pointer);
hipError_t hipFreeHost(void *pointer);
hipError_t hipHostFree(void *pointer);
hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream);
hipError_t hipFreeAsync(void *pointer, hipStream_t stream);
hipError_t hipMemGetInfo(size_t *free, size_t *total);
hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t pointer);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer);
hipError_t hipMemPrefetchAsync(const void *pointer, size_t bytes, int device, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemAdvise(const void *pointer, size_t bytes, hipMemoryAdvise advice, int device);

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes);
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes);
hipError_t hipMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                              hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                       hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset HIP_DEFAULT(0),
                             hipMemcpyKind kind HIP_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, hipMemcpyKind kind,
                                  hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset HIP_DEFAULT(0),
                               hipMemcpyKind kind HIP_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream HIP_DEFAULT(0));
hipError_t hipGetSymbolAddress(void **pointer, const void *symbol);
hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol);
hipError_t hipMemset(void *to, int value, size_t bytes);
hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count);
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count);
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream HIP_DEFAULT(0));

// Streams and events ---------------------------------------------------------------------------------

typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *data);
typedef void (*hipHostFn_t)(void *data);

hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags HIP_DEFAULT(0));
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data);

hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream HIP_DEFAULT(0), unsigned flags HIP_DEFAULT(0));
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
/// Milliseconds of emulated time: they follow from the work between the two events, not from this machine.
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop);
hipError_t hipEventDestroy(hipEvent_t event);

// Modules and launches -------------------------------------------------------------------------------

typedef enum hipJitOption { hipJitOptionMaxRegisters = 0 } hipJitOption;

typedef struct hipLaunchParams_t {
  void *func;
  dim3 gridDim;
  dim3 blockDim;
  void **args;
  size_t sharedMem;
  hipStream_t stream;
} hipLaunchParams;

hipError_t hipModuleLoad(hipModule_t *module, const char *path);
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned options, hipJitOption *names,
                               void **values);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                 hipStream_t stream, void **parameters, void **extra);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                            unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                            hipStream_t stream, void **parameters);
/// The grid is in work-items here.
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t itemsX, uint32_t itemsY, uint32_t itemsZ,
                                    uint32_t blockX, uint32_t blockY, uint32_t blockZ, size_t sharedBytes,
                                    hipStream_t stream, void **parameters, void **extra,
                                    hipEvent_t start HIP_DEFAULT(0), hipEvent_t stop HIP_DEFAULT(0),
                                    uint32_t flags HIP_DEFAULT(0));
hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                           hipStream_t stream);
hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                              hipStream_t stream, hipEvent_t start, hipEvent_t stop, int flags);
hipError_t hipLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                      unsigned sharedBytes, hipStream_t stream);
hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *function);
hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function);
hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute attribute, int value);
hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t config);
hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig config);
hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol);
const char *hipKernelNameRef(hipFunction_t function);
const char *hipKernelNameRefByPtr(const void *function, hipStream_t stream);

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *groups, hipFunction_t function, int blockSize,
                                                              size_t sharedBytes);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *groups, hipFunction_t function,
                                                                       int blockSize, size_t sharedBytes,
                                                                       unsigned flags);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *groups, const void *function, int blockSize,
                                                        size_t sharedBytes);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *groups, const void *function, int blockSize,
                                                                 size_t sharedBytes, unsigned flags);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t function,
                                                   size_t sharedBytes, int blockSizeLimit);
hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *function, size_t sharedBytes,
                                             int blockSizeLimit);

// What clang's registration code and its launch stubs call.
void **__hipRegisterFatBinary(const void *wrapper);
void __hipUnregisterFatBinary(void **modules);
void __hipRegisterFunction(void **modules, const void *handle, char *deviceFunction, const char *deviceName,
                           unsigned threadLimit, void *tid, void *bid, dim3 *block, dim3 *grid, int *warpSize);
void __hipRegisterVar(void **modules, void *handle, char *hostVariable, char *deviceVariable, int external, size_t size,
                      int constant, int global);
void __hipRegisterManagedVar(void **modules, void **pointer, void *initialValue, const char *name, size_t size,
                             unsigned alignment);
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes HIP_DEFAULT(0),
                                      hipStream_t stream HIP_DEFAULT(0));
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, hipStream_t *stream);

// Graphs ---------------------------------------------------------------------------------------------

typedef enum hipGraphNodeType {
  hipGraphNodeTypeKernel = 0,
  hipGraphNodeTypeMemcpy = 1,
  hipGraphNodeTypeMemset = 2,
  hipGraphNodeTypeHost = 3,
  hipGraphNodeTypeGraph = 4,
  hipGraphNodeTypeEmpty = 5,
  hipGraphNodeTypeWaitEvent = 6,
  hipGraphNodeTypeEventRecord = 7
} hipGraphNodeType;

typedef enum hipStreamCaptureMode {
  hipStreamCaptureModeGlobal = 0,
  hipStreamCaptureModeThreadLocal,
  hipStreamCaptureModeRelaxed
} hipStreamCaptureMode;
typedef enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive,
  hipStreamCaptureStatusInvalidated
} hipStreamCaptureStatus;

typedef struct hipKernelNodeParams {
  dim3 blockDim;
  void **extra;
  void *func;
  dim3 gridDim;
  void **kernelParams;
  unsigned sharedMemBytes;
} hipKernelNodeParams;
typedef struct hipMemsetParams {
  void *dst;
  unsigned elementSize;
  size_t height;
  size_t pitch;
  unsigned value;
  size_t width; ///< in elements
} hipMemsetParams;
typedef struct hipHostNodeParams {
  hipHostFn_t fn;
  void *userData;
} hipHostNodeParams;

#define hipGraphInstantiateFlagAutoFreeOnLaunch 1

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id);
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);
hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphClone(hipGraph_t *clone, hipGraph_t graph);
hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                 size_t count, const hipKernelNodeParams *parameters);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                   size_t count, void *to, const void *from, size_t bytes, hipMemcpyKind kind);
hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                 size_t count, const hipMemsetParams *parameters);
hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                               const hipHostNodeParams *parameters);
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                size_t count);
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                     size_t count, hipGraph_t child);
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                      size_t count, hipEvent_t event);
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                    size_t count, hipEvent_t event);
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                   size_t count);
hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                      size_t count);
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count);
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type);
hipError_t hipGraphDestroyNode(hipGraphNode_t node);
hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *errorNode, char *log,
                               size_t logBytes);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags);
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphExecDestroy(hipGraphExec_t exec);
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams *parameters);
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to, const void *from,
                                             size_t bytes, hipMemcpyKind kind);
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *parameters);

#ifdef __cplusplus
} // extern "C"

// What C++ programs write without casts.
template <class T> inline hipError_t hipMalloc(T **pointer, size_t bytes) {
  return hipMalloc(reinterpret_cast<void **>(pointer), bytes);
}
template <class T> inline hipError_t hipMallocManaged(T **pointer, size_t bytes, unsigned flags = hipMemAttachGlobal) {
  return hipMallocManaged(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T> inline hipError_t hipHostMalloc(T **pointer, size_t bytes, unsigned flags = hipHostMallocDefault) {
  return hipHostMalloc(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T> inline hipError_t hipHostAlloc(T **pointer, size_t bytes, unsigned flags) {
  return hipHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T> inline hipError_t hipMallocHost(T **pointer, size_t bytes) {
  return hipMallocHost(reinterpret_cast<void **>(pointer), bytes);
}
template <class T> inline hipError_t hipMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
  return hipMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}
template <class T> inline hipError_t hipMallocAsync(T **pointer, size_t bytes, hipStream_t stream) {
  return hipMallocAsync(reinterpret_cast<void **>(pointer), bytes, stream);
}
template <class T> inline hipError_t hipHostGetDevicePointer(T **device, void *host, unsigned flags) {
  return hipHostGetDevicePointer(reinterpret_cast<void **>(device), host, flags);
}
template <class T> inline hipError_t hipGetSymbolAddress(void **pointer, const T &symbol) {
  return hipGetSymbolAddress(pointer, reinterpret_cast<const void *>(&symbol));
}
template <class T> inline hipError_t hipGetSymbolSize(size_t *bytes, const T &symbol) {
  return hipGetSymbolSize(bytes, reinterpret_cast<const void *>(&symbol));
}
template <class T>
inline hipError_t hipMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                    hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol(reinterpret_cast<const void *>(&symbol), from, bytes, offset, kind);
}
template <class T>
inline hipError_t hipMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset,
                                         hipMemcpyKind kind, hipStream_t stream = nullptr) {
  return hipMemcpyToSymbolAsync(reinterpret_cast<const void *>(&symbol), from, bytes, offset, kind, stream);
}
template <class T>
inline hipError_t hipMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                      hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(to, reinterpret_cast<const void *>(&symbol), bytes, offset, kind);
}
template <class T>
inline hipError_t hipMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                                           hipStream_t stream = nullptr) {
  return hipMemcpyFromSymbolAsync(to, reinterpret_cast<const void *>(&symbol), bytes, offset, kind, stream);
}
template <class T> inline hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, T *function) {
  return hipFuncGetAttributes(attributes, reinterpret_cast<const void *>(function));
}
template <class T> inline hipError_t hipFuncSetAttribute(T *function, hipFuncAttribute attribute, int value) {
  return hipFuncSetAttribute(reinterpret_cast<const void *>(function), attribute, value);
}
template <class T>
inline hipError_t hipLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes = 0,
                                  hipStream_t stream = nullptr) {
  return hipLaunchKernel(reinterpret_cast<const void *>(function), grid, block, arguments, sharedBytes, stream);
}
template <class T>
inline hipError_t hipLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments, unsigned sharedBytes,
                                             hipStream_t stream) {
  return hipLaunchCooperativeKernel(reinterpret_cast<const void *>(function), grid, block, arguments, sharedBytes,
                                    stream);
}
template <class T>
inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *groups, T *function, int blockSize,
                                                               size_t sharedBytes) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(groups, reinterpret_cast<const void *>(function), blockSize,
                                                      sharedBytes);
}
template <class T>
inline hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, T *function, size_t sharedBytes = 0,
                                                    int blockSizeLimit = 0) {
  return hipOccupancyMaxPotentialBlockSize(gridSize, blockSize, reinterpret_cast<const void *>(function), sharedBytes,
                                           blockSizeLimit);
}
#endif

#undef HIP_DEFAULT
