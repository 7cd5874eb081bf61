import { checkOfRules } from '#kernel/system'
import { undriven } from './rules-store.ts'

export const replacementChecks = [
  checkOfRules({
    name: 'replacement.stuck',
    title: 'Replacements that no task drives',
    proves: ['I-43'],
    rules: [
      {
        invariant: 'I-43',
        kind: 'replacement',
        violation: 'the replacement is not finished, and no task drives it',
        repair: 'A running service enqueues its task within a minute, and so does its next start',
        find: undriven,
      },
    ],
  }),
]
