import { type } from '../schema.ts'
import { documented } from './documented.ts'

/** Text that reaches a statement: PostgreSQL has no text with NUL, so it is refused on both engines. */
export const plainText = type('string')
  .narrow(documented({ pattern: '^[^\\u0000]*$' }))
  .narrow((text, ctx) => !text.includes('\0') || ctx.mustBe('text without the NUL character'))
