"""Work run elsewhere, and ended in time: in worker processes with limits, in threads, in a loop that is left.

workers       pool of warm worker processes behind a fair queue, for an event loop
blocking      the same workers for a caller without one: messages as they come, results of many in order
worker        such a process from within, with its limits on time and memory
start         start of such a process, and how it ended
fair_queue    order of the work
documents     long documents on the way to a worker, in shared memory
pairs         pairs of sockets, and memory, between processes
threads       calls that may hang, in threads with a deadline
bounded_loop  event loop of a synchronous call
lifeline      end of a process whose parent has died
ending        end of a process by a signal before it serves
process       memory, garbage collector and processors of this process
"""
