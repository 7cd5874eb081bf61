/** Multipart uploads with the SDK in the tests' terms. */
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  ListPartsCommand,
  type ListPartsCommandInput,
  type S3Client,
  UploadPartCommand,
  type UploadPartCommandInput,
} from '@aws-sdk/client-s3'

/** The smallest part that may be followed by another one. */
export const largePart = Buffer.alloc(5 * 1024 * 1024, 'large part ')

/** Names an upload. */
export interface Place {
  readonly Bucket: string
  readonly Key: string
  readonly UploadId: string
}

export function multipartClient(client: S3Client, Bucket: string) {
  return {
    async create(Key: string, more: Partial<CreateMultipartUploadCommandInput> = {}): Promise<Place> {
      const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }))
      return { Bucket, Key, UploadId }
    },
    async put(place: Place, PartNumber: number, Body: string | Buffer, more: Partial<UploadPartCommandInput> = {}) {
      const { $metadata: _, ...part } = await client.send(new UploadPartCommand({ ...place, PartNumber, Body, ...more }))
      return { ...part, PartNumber }
    },
    complete: (place: Place, Parts: CompletedPart[], more: Partial<CompleteMultipartUploadCommandInput> = {}) =>
      client.send(new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts }, ...more })),
    parts: (place: Place, more: Partial<ListPartsCommandInput> = {}) => client.send(new ListPartsCommand({ ...place, ...more })),
    async bytes(Key: string): Promise<Buffer> {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
  }
}
