import { checkOfRules } from '#kernel/system'
import { chainDataSetsCheck, chainPiecesCheck, unrecordedPiecesCheck } from './chain-checks.ts'
import { providerPiecesCheck } from './provider-check.ts'
import { replicationRules, stuckRules } from './rules-store.ts'

export const ruleChecks = [
  checkOfRules({
    name: 'replication.copies',
    title: 'Copies, their pieces and batches',
    proves: ['I-19', 'I-21', 'I-25', 'I-27', 'I-29'],
    rules: replicationRules.copies,
  }),
  checkOfRules({
    name: 'replication.removals',
    title: 'Removals, and the copies of deleted contents',
    proves: ['I-04', 'I-18', 'I-28'],
    rules: replicationRules.removals,
  }),
  checkOfRules({
    name: 'replication.data-sets',
    title: 'Replica slots, their data sets and totals',
    proves: ['I-04', 'I-22', 'I-36'],
    rules: replicationRules.dataSets,
  }),
]

const stuckCopiesCheck = checkOfRules({
  name: 'replication.stuck-copies',
  title: 'Contents with fewer copies than their target, and data sets with removals or an end to come, that no task works on',
  proves: ['I-29', 'I-36', 'I-43'],
  rules: stuckRules,
})

export const replicationChecks = [
  ...ruleChecks,
  stuckCopiesCheck,
  chainDataSetsCheck,
  chainPiecesCheck,
  unrecordedPiecesCheck,
  providerPiecesCheck,
]
