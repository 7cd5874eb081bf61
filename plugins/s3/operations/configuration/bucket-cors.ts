import { defineBucketSetting } from '../../bucket-settings/bucket-settings.ts'
import { type CorsRule, corsDocument } from '../../documents/cors-configuration.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'
import { checkCorsRules } from './cors-rules.ts'

export const corsSetting = defineBucketSetting<readonly CorsRule[]>('cors')

export const getBucketCors: Operation = {
  scope: 'bucket',
  async run({ bucket }, { bucketSettings }) {
    const rules = await bucketSettings.find(bucket, corsSetting)
    if (rules === undefined) throw new S3Error('NoSuchCORSConfiguration', { extras: { BucketName: bucket.name } })
    return xmlAnswer(corsDocument.write(rules))
  },
}

export const putBucketCors: Operation = {
  scope: 'bucket',
  async run(request, { bucketSettings }) {
    const rules = await readXmlBody(request, corsDocument)
    checkCorsRules(rules)
    await bucketSettings.set(request.bucket, corsSetting, rules)
    return { status: 200, headers: {} }
  },
}

export const deleteBucketCors: Operation = {
  scope: 'bucket',
  async run({ bucket }, { bucketSettings }) {
    await bucketSettings.remove(bucket, corsSetting)
    return { status: 204, headers: {} }
  },
}
