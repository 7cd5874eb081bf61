import { type AdminCall, type AdminClient, formatFacts, formatSize, openAdminClient, usageError } from '#cli'
import { downloadObject } from '../../objects/object-api.ts'
import { fileNameOf } from './file-name-policy.ts'
import type { NamedObject } from './read-history.ts'
import { refuseExisting, saveFile } from './save-file.ts'
import { showProgress } from './show-progress.ts'

export async function run(
  call: AdminCall<NamedObject & { file: string | undefined }, { versionId: string | undefined; overwrite: boolean }>,
): Promise<undefined> {
  const object = call.parameters
  const { versionId, overwrite } = call.flags
  const file = call.parameters.file ?? fileNameOf(object.key)
  if (file === undefined) throw usageError(`"${object.key}" ends in no file name; name a file after it, or - for standard output`)
  if (file === '-' && call.out.isJson) throw usageError('--json and the bytes of the object cannot both go to standard output; name a file')
  const target = { file, overwrite, cwd: call.cwd }
  if (file !== '-') await refuseExisting(target)
  const opened = await openObject(await openAdminClient(call), { ...object, versionId })
  const bytes = showProgress(opened.bytes, opened.size, call.out)
  if (file === '-') {
    for await (const chunk of bytes) await call.out.write(chunk)
    return
  }
  const saved = await saveFile(target, bytes)
  const { etag, contentType } = opened
  const result = { key: object.key, ...(versionId === undefined ? {} : { version_id: versionId }), file: saved.path, size: saved.size }
  const text = formatFacts([
    ['Object downloaded', object.key],
    ['File', saved.path],
    ['Size', formatSize(saved.size)],
    ['ETag', etag],
    ['Content type', contentType],
  ])
  call.out.result({ ...result, etag, content_type: contentType }, text)
}

interface ObjectVersionName {
  readonly bucket: string
  readonly key: string
  readonly versionId: string | undefined
}

async function openObject(client: AdminClient, { bucket, key, versionId }: ObjectVersionName) {
  const { bytes, response } = await client.open(downloadObject, {
    params: { name: bucket },
    query: { key, ...(versionId === undefined ? {} : { version_id: versionId }) },
  })
  const length = response.headers.get('content-length')
  return {
    bytes,
    size: length === null ? undefined : Number(length),
    etag: response.headers.get('etag')?.replaceAll('"', '') ?? '',
    contentType: response.headers.get('content-type') ?? '',
  }
}
