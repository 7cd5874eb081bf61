import { expect, test } from 'vitest'
import { checkErrorCodes, compareErrorCodes, readDefinitions, readListed } from './check-error-codes.ts'

test('I-16: every published error code is still defined, with its status', async () => {
  expect(await checkErrorCodes()).toEqual([])
})

test('I-16: removed, changed and unlisted codes are reported', () => {
  const listed = readListed('| Code | Status |\n|---|---|\n| `gone` | 404 |\n| `moved` | 400 |\n| `same` | 409 |\n')
  const defined = new Map(
    readDefinitions(
      "defineErrors({\n  moved: { status: 409, message: '' },\n  same: {\n    status: 409,\n  },\n  fresh: { status: 503 },\n})",
    ),
  )
  expect(compareErrorCodes(listed, defined)).toEqual([
    'error code gone is published and no longer defined: clients depend on it',
    'error code moved was published with status 400 and now has 409',
    'add to docs/reference/error-codes.md: | `fresh` | 503 |',
  ])
})
