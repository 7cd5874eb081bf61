import type { Reader } from '#kernel'
import { listOpenUploads, type UploadPlaceInOrder } from '../catalog/uploads/upload-store.ts'
import type { ListUploads, Upload, UploadPage } from '../contract.ts'
import { listPlaces, type PlaceOrder } from '../objects/place-listing.ts'

/** Sorts after every upload id, which are ULIDs. */
const afterAllIds = '~'

export async function listUploads(read: Reader, bucketId: number, request: Omit<ListUploads, 'bucket'>): Promise<UploadPage> {
  const { afterKey: marker = '', afterUploadId } = request
  const after = ({ key, id }: Upload): UploadPlaceInOrder => ({ key, uploadId: id })
  const order: PlaceOrder<Upload, Upload, UploadPlaceInOrder> = {
    rows: (after, high, limit) => listOpenUploads(read, { bucketId, after, high }, limit),
    before: (key) => ({ key, uploadId: '' }),
    after,
    start: () => ({ key: marker, uploadId: afterUploadId ?? afterAllIds }),
    itemOf: (upload) => upload,
  }
  const { items: uploads, last, ...page } = await listPlaces(order, { ...request, marker })
  return { uploads, ...page, ...(last !== undefined && { last: typeof last === 'string' ? { key: last } : after(last) }) }
}
