import { randomUUID } from 'node:crypto'
import type { LifecycleRule } from '../../contract.ts'
import { lifecycleDocument } from '../../documents/lifecycle-configuration.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'
import { checkLifecycleRules } from './lifecycle-rules.ts'

/** Above 1000 rules of usual length. */
const bytesMax = 512 * 1024

export const getBucketLifecycle: Operation = {
  scope: 'bucket',
  async run({ bucket }, { lifecycleRules }) {
    const rules = await lifecycleRules.find(bucket)
    if (rules === undefined) throw new S3Error('NoSuchLifecycleConfiguration', { extras: { BucketName: bucket.name } })
    return xmlAnswer(lifecycleDocument.write(rules))
  },
}

export const putBucketLifecycle: Operation = {
  scope: 'bucket',
  async run(request, { lifecycleRules }) {
    const rules = withIds(await readXmlBody(request, lifecycleDocument, { bytesMax, needsDigest: true }))
    checkLifecycleRules(rules)
    await lifecycleRules.set(request.bucket, rules)
    return { status: 200, headers: {} }
  },
}

export const deleteBucketLifecycle: Operation = {
  scope: 'bucket',
  async run({ bucket }, { lifecycleRules }) {
    await lifecycleRules.remove(bucket)
    return { status: 204, headers: {} }
  },
}

/** Gives an id to rules without one, as S3. */
export const withIds = (rules: readonly LifecycleRule[]): readonly LifecycleRule[] =>
  rules.map((rule) => (rule.id === '' ? { ...rule, id: randomUUID() } : rule))
