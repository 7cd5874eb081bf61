import { randomFill } from 'node:crypto'
import { promisify } from 'node:util'
import type { UploadBody } from '#plugins/providers'

const blockBytes = 1024 * 1024
const fill = promisify<Buffer, Buffer>(randomFill)

/** Fresh random bytes, so that no provider has them already. One block is in memory at a time. `size`: a multiple of 1 MiB. */
export function randomBody(size: number, onFirstBlock: () => void): UploadBody {
  return {
    size,
    async *open() {
      const block = Buffer.allocUnsafe(blockBytes)
      for (let at = 0; at < size; at += blockBytes) {
        await fill(block)
        if (at === 0) onFirstBlock()
        yield block
      }
    },
  }
}
