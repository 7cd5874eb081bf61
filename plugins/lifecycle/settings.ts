import { defineSection, setting } from '#kernel'

export const lifecycleSection = defineSection('lifecycle', {
  doc: 'Lifecycle rules of buckets, which clients store with PutBucketLifecycleConfiguration. They act once a day, after midnight UTC.',
  keys: {
    day: setting.duration({
      label: 'Length of a day',
      doc: 'Time that counts as a day of a rule. Only for tests: a shorter day deletes objects earlier than their owners said.',
      default: '24h',
      minMs: 1000,
      risk: 'high',
    }),
  },
})
