import { type ChecksumAlgorithm, type CopyPart, type ObjectVersion, startChecksum } from '#plugins/storage'
import { copyPartResultDocument } from '../../documents/copy-result.ts'
import { updating } from '../../wire/checksum-algorithms.ts'
import type { Headers } from '../../wire/headers.ts'
import { requirePartNumber } from '../../wire/query.ts'
import { invalidArgument } from '../../wire/s3-error.ts'
import { checksumTypeOf } from '../../wire/stored-checksums.ts'
import { refuseCustomerKeys, refuseUnsupportedObjectHeaders } from '../../wire/unsupported-headers.ts'
import { copySourceHeaders, findCopySource } from '../objects/copy-source.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { placeOf, requireUpload } from './open-upload.ts'
import { partAlgorithm } from './upload-checksums.ts'

/** Stores one part with bytes of an existing version. */
export const uploadPartCopy: Operation = {
  scope: 'object',
  async run(request, services) {
    const { headers, query } = request
    refuseUnsupportedObjectHeaders(headers, services.settings)
    refuseCustomerKeys(headers, 'x-amz-copy-source-server-side-encryption-customer-algorithm')
    const partNumber = requirePartNumber(query)
    const range = readRange(headers)
    const upload = await requireUpload(request, services)
    const source = await findCopySource(request, services)
    await services.storageLimits.refuseEarly(request.bucket, range ? range.end - range.start + 1 : source.version.size)
    const isWhole = range === undefined || (range.start === 0 && range.end === source.version.size - 1)
    const { part } = await services.uploads.copyPart({
      ...placeOf(request),
      partNumber,
      signal: request.clientSignal(),
      // The version that was found, also when another one became current.
      source: { bucket: source.bucket, key: source.key, versionId: source.version.versionId },
      ...(range && { range }),
      ...(await checksumOf(source.version, isWhole, partAlgorithm(upload, services.settings))),
    })
    const { etag, createdAtMs: lastModifiedMs, checksums } = part
    return xmlAnswer(copyPartResultDocument.write({ etag, lastModifiedMs, checksums }), copySourceHeaders(source))
  },
}

const rangeHeader = 'x-amz-copy-source-range'

/** Both ends are needed and inclusive. Throws InvalidArgument. */
function readRange(headers: Headers): CopyPart['range'] {
  const text = headers.get(rangeHeader)
  if (text === undefined) return undefined
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? []
  if (first !== undefined && last !== undefined && Number(first) <= Number(last)) return { start: Number(first), end: Number(last) }
  throw invalidArgument(rangeHeader, text, 'The x-amz-copy-source-range value must be of the form bytes=first-last.')
}

type PartChecksum = Pick<CopyPart, 'verify' | 'through'>

/** Returns the checksum of the source if it is of the same bytes, so that they need not be read. */
async function checksumOf(source: ObjectVersion, isWhole: boolean, algorithm: ChecksumAlgorithm | undefined): Promise<PartChecksum> {
  if (algorithm === undefined) return {}
  const known = source.headers.checksums[algorithm]
  if (isWhole && known !== undefined && checksumTypeOf(known) === 'FULL_OBJECT') return { verify: () => ({ [algorithm]: known }) }
  const running = await startChecksum(algorithm)
  return {
    through: (bytes) => updating(bytes, running),
    verify: () => ({ [algorithm]: running.digest().toString('base64') }),
  }
}
