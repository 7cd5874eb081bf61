/** GetObjectTagging, PutObjectTagging and DeleteObjectTagging: tags of the current or the requested version. */
import { taggingDocument } from '../../documents/tagging.ts'
import { readVersionId } from '../../wire/query.ts'
import { checkTags, listTags, objectTagsMax, type Tags } from '../../wire/tags.ts'
import { type ObjectRequest, type Operation, type S3Answer, type S3Services, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'
import { findReadable } from './read-object.ts'

export const getObjectTagging: Operation = {
  scope: 'object',
  async run(request, services) {
    const { versionId, headers } = await findReadable(request, services, readVersionId(request.query))
    return xmlAnswer(taggingDocument.write(listTags(headers.tags ?? {})), { 'x-amz-version-id': versionId })
  },
}

export const putObjectTagging: Operation = {
  scope: 'object',
  async run(request, services) {
    const tags = checkTags(await readXmlBody(request, taggingDocument), { max: objectTagsMax })
    return setTags(request, services, { tags, status: 200 })
  },
}

export const deleteObjectTagging: Operation = {
  scope: 'object',
  run: (request, services) => setTags(request, services, { tags: {}, status: 204 }),
}

async function setTags(
  request: ObjectRequest,
  services: S3Services,
  { tags, status }: { readonly tags: Tags; readonly status: number },
): Promise<S3Answer> {
  const { bucket, key, query } = request
  const { versionId } = await findReadable(request, services, readVersionId(query))
  await services.versions.setTags({ bucket, key, versionId, tags })
  return { status, headers: { 'x-amz-version-id': versionId } }
}
