import type { UploadBody } from '../client/upload-body.ts'

/** All bytes of a body, copied: the memory of its blocks may be used again. */
export async function bodyBytes(body: UploadBody): Promise<Buffer> {
  const blocks: Buffer[] = []
  for await (const block of body.open()) blocks.push(Buffer.from(block))
  return Buffer.concat(blocks)
}
