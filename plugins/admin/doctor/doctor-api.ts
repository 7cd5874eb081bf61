/** Endpoints of `svc doctor --online`. The client asks page by page, so that the service keeps nothing between requests. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

/** Entries of one sample. */
export const sampleMax = 200
const cursorMax = 1024
const targetMax = 4096
/** Longer than the longest page of a check. */
const deadlineMs = 150_000

const finding = type({
  severity: "'error' | 'warning'",
  'invariant?': 'string',
  subject: { kind: 'string', id: 'string', 'bucket?': 'string', 'key?': 'string' },
  message: 'string',
  repair: 'string',
  'fix?': { name: 'string', target: 'string' },
})

export const listChecks = defineEndpoint({
  method: 'GET',
  path: '/api/v1/doctor/checks',
  summary: 'List the checks of svc doctor',
  answer: type({
    name: 'string',
    title: 'string',
    proves: 'string[]',
    cost: "'quick' | 'whole'",
    'needs?': "'network' | 'gateway'",
  }).array(),
})

export const runCheck = defineEndpoint({
  method: 'POST',
  path: '/api/v1/doctor/checks/:name/run',
  role: 'operator',
  summary: 'Run one page of a check; repeat with next as after until it is absent',
  isLook: true,
  params: type({ name: 'string' }),
  body: type({
    // Absent: all entries are compared.
    'sample?': `1 <= number.integer <= ${sampleMax}`,
    'after?': `string <= ${cursorMax}`,
  }),
  isBodyOptional: true,
  answer: type({
    findings: finding.array(),
    compared: 'number.integer',
    'next?': 'string',
    // More is damaged than the findings list.
    'is_cut?': 'boolean',
  }),
  refusals: ['doctor_check_not_found', 'doctor_check_failed', 'doctor_check_late', 'doctor_busy'],
  deadlineMs,
})

export const applyFix = defineEndpoint({
  method: 'POST',
  path: '/api/v1/doctor/fixes/:name',
  role: 'admin',
  summary: 'Apply the fix that a finding names',
  params: type({ name: 'string' }),
  body: type({ target: `0 < string <= ${targetMax}` }),
  answer: type({ changed: 'boolean' }),
  refusals: ['doctor_fix_not_found', 'doctor_fix_target_invalid'],
  audit: ['target'],
  deadlineMs,
})
