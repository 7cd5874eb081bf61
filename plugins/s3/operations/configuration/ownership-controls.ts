import { ownershipControlsDocument } from '../../documents/ownership-controls.ts'
import { isPrivate, privateList } from '../../wire/access-list-policy.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'

/** Clients take a bucket without controls for one with the ownership ObjectWriter, so another default is shown like a control. */
export const getBucketOwnershipControls: Operation = {
  scope: 'bucket',
  run({ bucket }, { accessLists }) {
    const { ownership } = accessLists.rulesOf(bucket)
    if (ownership === 'ObjectWriter' && accessLists.accessOf(bucket).ownership === undefined) {
      throw new S3Error('OwnershipControlsNotFoundError', { extras: { BucketName: bucket.name } })
    }
    return xmlAnswer(ownershipControlsDocument.write(ownership))
  },
}

export const putBucketOwnershipControls: Operation = {
  scope: 'bucket',
  async run(request, { accessLists }) {
    const ownership = await readXmlBody(request, ownershipControlsDocument)
    await accessLists.changeBucket(request.bucket, (access) => {
      if (ownership === 'BucketOwnerEnforced' && !isPrivate(access.grants ?? privateList)) {
        throw new S3Error('InvalidBucketAclWithObjectOwnership')
      }
      return { ...access, ownership }
    })
    return { status: 200, headers: {} }
  },
}

export const deleteBucketOwnershipControls: Operation = {
  scope: 'bucket',
  async run({ bucket }, { accessLists }) {
    await accessLists.changeBucket(bucket, ({ ownership: _deleted, ...access }) => access)
    return { status: 204, headers: {} }
  },
}
