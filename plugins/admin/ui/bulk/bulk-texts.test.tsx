import { expect, test } from 'vitest'
import { type BulkActionFacts, describeEnd, describeRest } from './bulk-texts.ts'

const facts = (more: Partial<BulkActionFacts>): BulkActionFacts => ({
  id: 1,
  bucket: 'photos',
  client_request_id: 'ui-1',
  action: 'move_to_trash',
  status: 'completed',
  total: 3,
  done: 3,
  skipped: 0,
  busy: 0,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  ...more,
})

test.each([
  [{}, '3 objects moved to the trash', ''],
  [{ action: 'restore', done: 1, skipped: 2 }, '1 object restored', '2 objects changed since the request, and stayed as they are.'],
  [{ action: 'delete_permanently', status: 'stopped', done: 2 }, '2 objects deleted permanently', 'Stopped: 1 object left as before.'],
  [{ action: 'delete_bucket' }, 'Bucket photos deleted', ''],
  [
    { action: 'delete_bucket', status: 'incomplete', done: 1, problem: 'Objects were written.' },
    'Bucket photos is not deleted; 1 version was deleted',
    'Objects were written.',
  ],
  [
    { action: 'delete_bucket', status: 'stopped', done: 1, skipped: 1 },
    'Bucket photos is not deleted; 1 version was deleted',
    'Stopped: 2 versions left as before. 1 version changed since the request, and stayed as it is.',
  ],
] as const)('%j ends as: %s', (more, end, rest) => {
  expect([describeEnd(facts(more)), describeRest(facts(more))]).toEqual([end, rest])
})
