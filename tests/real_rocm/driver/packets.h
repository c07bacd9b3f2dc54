// The packets of one AQL queue, as AMD's command processor takes them: in order, one after the other.
#pragma once

namespace kfd {

// A queue's thread (pthread_create), until the queue ends. The argument is its Queue.
void* take_packets(void* queue);

}  // namespace kfd
