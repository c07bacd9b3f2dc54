"""Tells whether a GPU with Vulkan answers (scripts/need_gpu)."""
import ctypes

REFUSAL = "no Vulkan driver offers a GPU"
STRUCTURE_INSTANCE_CREATE_INFO = 1
TYPE_AT, KINDS_OF_GPU = 16, (1, 2, 3)  # VkPhysicalDeviceProperties.deviceType: integrated, discrete, virtual
MOST_DEVICES = 16


class CreateInfo(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint),
                ("application", ctypes.c_void_p), ("layers", ctypes.c_uint), ("layer_names", ctypes.c_void_p),
                ("extensions", ctypes.c_uint), ("extension_names", ctypes.c_void_p)]


def answers(first_library):
    library, instance = first_library("libvulkan.so.1"), ctypes.c_void_p()
    info = CreateInfo(type=STRUCTURE_INSTANCE_CREATE_INFO)
    if not library or library.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(instance)) != 0:
        return False
    count, devices = ctypes.c_uint(MOST_DEVICES), (ctypes.c_void_p * MOST_DEVICES)()
    library.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), devices)
    properties = ctypes.create_string_buffer(4096)
    for device in devices[:count.value]:
        library.vkGetPhysicalDeviceProperties(ctypes.c_void_p(device), properties)
        if int.from_bytes(properties[TYPE_AT:TYPE_AT + 4], "little") in KINDS_OF_GPU:
            return True
    return False
