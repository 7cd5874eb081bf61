import { expect, test } from 'vitest'
import { failedOf, flowsOf, openOf } from './task-flow-policy.ts'
import { changeSearch } from './task-link-policy.ts'
import { messageOf, readStatus, readTaskId, retriesText, type Task } from './task-status-policy.ts'
import { takeProgress, uploadOf, uploadsMax } from './upload-progress-policy.ts'

const progress = (id: number, attempt: number, bytes: number, done = false) => ({
  upload_id: id,
  progress: { attempt, uploaded_bytes: bytes, total_bytes: 100, done },
})

test('the progress of an upload never goes back, and a new attempt starts over', () => {
  const once = takeProgress({}, progress(7, 1, 60))
  expect(takeProgress(once, progress(7, 1, 40))).toBe(once)
  expect(takeProgress(once, progress(7, 2, 5))).toEqual({ 7: { attempt: 2, uploaded_bytes: 5, total_bytes: 100 } })
  expect(takeProgress(once, progress(7, 1, 100, true))).toEqual({})
})

test('the oldest uploads leave', () => {
  let uploads = {}
  for (let id = 1; id <= uploadsMax + 3; id += 1) uploads = takeProgress(uploads, progress(id, 1, 1))
  expect(Object.keys(uploads)).toHaveLength(uploadsMax)
  expect(uploads).not.toHaveProperty('1')
})

test('an upload belongs to the running store task of its content', () => {
  const uploads = takeProgress({}, progress(7, 1, 60))
  const task = { type: 'storage_store', status: 'running', subject: { type: 'storage_content', key: '7' } }
  expect(uploadOf(uploads, task)?.uploaded_bytes).toBe(60)
  expect(uploadOf(uploads, { ...task, status: 'completed' })).toBeUndefined()
  expect(uploadOf(uploads, { ...task, subject: { type: 'storage_data_set', key: '7' } })).toBeUndefined()
})

test('counts become a flow per type; dismissed and completed tasks are not open', () => {
  const flows = flowsOf([
    { type: 'storage_store', operation: 'Store content', status: 'running', count: 2 },
    { type: 'storage_store', operation: 'Store content', status: 'failed', count: 3 },
    { type: 'storage_store', operation: 'Store content', status: 'dismissed', count: 9 },
    { type: 'of_a_plugin', operation: 'Deliver parcels', status: 'pending', count: 1 },
  ])
  expect(flows).toEqual([
    { type: 'of_a_plugin', operation: 'Deliver parcels', running: 0, pending: 1, failed: 0 },
    { type: 'storage_store', operation: 'Store content', running: 2, pending: 0, failed: 3 },
  ])
  expect(flows.map(openOf)).toEqual([1, 5])
  expect([failedOf(flows), failedOf(flows, 'of_a_plugin')]).toEqual([3, 0])
})

test('a hand-made address asks the API nothing that it would refuse', () => {
  expect(['failed', 'dismissed', 'queued', '<img>', ''].map(readStatus)).toEqual(['failed', 'dismissed', undefined, undefined, undefined])
  expect(['12', '0', '-1', '1e3', '9007199254740993', 'x'].map(readTaskId)).toEqual([
    12,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('one member of the address changes, and hostile values survive', () => {
  const changed = changeSearch('/tasks?status=failed&cursor=9', { cursor: undefined, type: 'a&b=<c>' })
  expect(changed).toBe('/tasks?status=failed&type=a%26b%3D%3Cc%3E')
  expect(changeSearch(changed, { status: undefined, type: undefined })).toBe('/tasks')
})

test('retries and messages are those of the API', () => {
  expect(retriesText({ retry_count: 2, retry_limit: 4 })).toBe('2 of 4')
  expect(retriesText({ retry_count: 2 })).toBe('2')
  const task = { wait_reason: 'funding', status_message: 'the deposit is too small' } as Task
  expect(messageOf(task)).toBe('the deposit is too small')
  expect(messageOf({ ...task, last_error: 'refused' })).toBe('refused')
})
