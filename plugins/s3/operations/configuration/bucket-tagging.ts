import { defineBucketSetting } from '../../bucket-settings/bucket-settings.ts'
import { taggingDocument } from '../../documents/tagging.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { bucketTagsMax, checkTags, listTags, type Tags } from '../../wire/tags.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'

const bytesMax = 256 * 1024

export const tagsSetting = defineBucketSetting<Tags>('tagging')

export const getBucketTagging: Operation = {
  scope: 'bucket',
  async run({ bucket }, { bucketSettings }) {
    const tags = await bucketSettings.find(bucket, tagsSetting)
    if (tags === undefined) throw new S3Error('NoSuchTagSet', { extras: { BucketName: bucket.name } })
    return xmlAnswer(taggingDocument.write(listTags(tags)))
  },
}

export const putBucketTagging: Operation = {
  scope: 'bucket',
  async run(request, { bucketSettings }) {
    const tags = checkTags(await readXmlBody(request, taggingDocument, { bytesMax }), { max: bucketTagsMax })
    await bucketSettings.set(request.bucket, tagsSetting, tags)
    return { status: 204, headers: {} }
  },
}

export const deleteBucketTagging: Operation = {
  scope: 'bucket',
  async run({ bucket }, { bucketSettings }) {
    await bucketSettings.remove(bucket, tagsSetting)
    return { status: 204, headers: {} }
  },
}
