// Ways between two threads or processes.
import type { Socket } from 'node:net'
import { deserialize, serialize } from 'node:v8'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { Channel } from './mailbox.ts'

/** Structured clone; memory that is given away is moved. */
export const portChannel = (port: MessagePort | Worker): Channel => ({
  send: (messages, transfers) => port.postMessage(messages, transfers as ArrayBuffer[]),
  onMessages: (take) => void port.on('message', take),
})

const lengthBytes = 4

/** A Unix socket with the format of structured clone, each message after its length. */
export function socketChannel(socket: Socket): Channel {
  let rest: Buffer = Buffer.alloc(0)
  return {
    send(messages) {
      const body = serialize(messages)
      const head = Buffer.allocUnsafe(lengthBytes)
      head.writeUInt32LE(body.length)
      socket.cork()
      socket.write(head)
      socket.write(body)
      socket.uncork()
    },
    onMessages(take) {
      socket.on('data', (bytes: Buffer) => {
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
        while (rest.length >= lengthBytes && rest.length >= lengthBytes + rest.readUInt32LE()) {
          const end = lengthBytes + rest.readUInt32LE()
          const message = deserialize(rest.subarray(lengthBytes, end))
          rest = rest.subarray(end)
          take(message)
        }
      })
    },
  }
}
