import { addTransfer, invalidate, sendFile } from '@svc/ui-kit'
import { folderHref } from '../../buckets/links.ts'
import { folderOf } from '../keys-policy.ts'

/** Queues files: they are sent while other pages are shown. */
export function startUploads(bucket: string, files: readonly { readonly key: string; readonly file: File }[]): void {
  for (const { key, file } of files) {
    addTransfer({
      label: key,
      place: bucket,
      bytes: file.size,
      to: folderHref(bucket, folderOf(key)),
      start: async ({ signal, report }) => {
        await sendFile('POST /buckets/:name/objects/upload', { params: { name: bucket }, query: { key } }, file, {
          signal,
          onProgress: report,
        })
        invalidate([
          'GET /buckets',
          'GET /buckets/:name',
          'GET /buckets/:name/objects',
          'GET /buckets/:name/objects/versions',
          'GET /overview',
        ])
      },
    })
  }
}
