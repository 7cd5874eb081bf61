import { definePlugin, provide } from '#kernel'
import { lifecycleEngine } from '../contract.ts'

/** When everything expires that has a rule with days. */
export const daysOnly = { atMs: Date.UTC(2040, 0, 1) } as const

/** Lets buckets have lifecycle rules, which nothing carries out. */
export const lifecycleTestPlugin = definePlugin({
  id: 'lifecycle-test',
  requires: ['s3'],
  provides: async () => [
    provide(lifecycleEngine, {}, () => ({
      expiryOf(rules, { key }) {
        const rule = rules.find(({ filter, expiration }) => expiration?.kind === 'days' && key.startsWith(filter.prefix ?? ''))
        return rule && { ...daysOnly, ruleId: rule.id }
      },
      stateOf: async () => ({}),
    })),
  ],
})
