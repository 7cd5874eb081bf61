import { hash } from 'node:crypto'
import type { LifecycleRule } from '../../contract.ts'
import { lifecycleDocument } from '../../documents/lifecycle-configuration.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'
import { checkLifecycleRules } from './lifecycle-rules.ts'

/** Above 1000 rules of usual length. */
const bytesMax = 512 * 1024
/** Digits of an id that a rule gets. */
const idLength = 32

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

/** Gives an id to rules without one, as S3. The same rules get the same ids, so that a client that repeats them does not put them off. */
export function withIds(rules: readonly LifecycleRule[]): readonly LifecycleRule[] {
  const taken = new Set(rules.map(({ id }) => id))
  return rules.map((rule) => {
    if (rule.id !== '') return rule
    const text = JSON.stringify(rule)
    let id = ''
    for (let at = 0; taken.has(id); at++) id = hash('sha256', `${at} ${text}`).slice(0, idLength)
    taken.add(id)
    return { ...rule, id }
  })
}
