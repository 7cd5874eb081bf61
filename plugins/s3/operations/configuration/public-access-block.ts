import { publicAccessBlockDocument } from '../../documents/public-access-block.ts'
import { isPublic } from '../../wire/access-list-policy.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { element, xmlDocument } from '../../wire/xml.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'

export const getPublicAccessBlock: Operation = {
  scope: 'bucket',
  run({ bucket }, { accessLists }) {
    const { block } = accessLists.accessOf(bucket)
    if (block === undefined) throw new S3Error('NoSuchPublicAccessBlockConfiguration', { extras: { BucketName: bucket.name } })
    return xmlAnswer(publicAccessBlockDocument.write(block))
  },
}

export const putPublicAccessBlock: Operation = {
  scope: 'bucket',
  async run(request, { accessLists }) {
    const block = await readXmlBody(request, publicAccessBlockDocument)
    await accessLists.changeBucket(request.bucket, (access) => ({ ...access, block }))
    return { status: 200, headers: {} }
  },
}

export const deletePublicAccessBlock: Operation = {
  scope: 'bucket',
  async run({ bucket }, { accessLists }) {
    await accessLists.changeBucket(bucket, ({ block: _deleted, ...access }) => access)
    return { status: 204, headers: {} }
  },
}

/** Whether the list of the bucket gives access to everyone or to every user. Buckets have no policies. */
export const getBucketPolicyStatus: Operation = {
  scope: 'bucket',
  run({ bucket }, { accessLists }) {
    const { hasLists, ignoresPublicGrants, grants } = accessLists.rulesOf(bucket)
    return xmlAnswer(xmlDocument('PolicyStatus', element('IsPublic', hasLists && !ignoresPublicGrants && isPublic(grants))))
  },
}
