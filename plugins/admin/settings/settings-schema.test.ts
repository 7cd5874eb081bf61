import { expect, test } from 'vitest'
import { defineSection, setting } from '#kernel'
import { settingsSchema } from './settings-schema.ts'

const about = { label: 'L', doc: 'D', editable: true } as const
const chain = defineSection('chain', {
  doc: 'D',
  keys: { network: setting.choice(['one', 'two'], { ...about, default: 'one' }), key: setting.secret(about) },
})
const inner = defineSection('chain.watch', {
  doc: 'D',
  keys: {
    interval: setting.duration({ ...about, default: '5s' }),
    width: setting.integer({ ...about, default: 1, min: 1, max: 8 }),
    on: setting.flag({ ...about, default: true }),
    file: setting.text({ label: 'L', doc: 'D' }),
  },
})
const fixed = defineSection('fixed', { doc: 'D', keys: { file: setting.text({ label: 'L', doc: 'D' }) } })

test('the schema has the editable settings, nested like the file, and no secrets', () => {
  const schema = settingsSchema([chain, inner, fixed])
  expect(schema).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {
      chain: {
        type: 'object',
        additionalProperties: false,
        properties: {
          network: { enum: ['one', 'two'], description: 'D' },
          watch: {
            type: 'object',
            additionalProperties: false,
            properties: {
              interval: { type: 'string', pattern: expect.any(String), description: 'D' },
              width: { type: 'integer', minimum: 1, maximum: 8, description: 'D' },
              on: { type: 'boolean', description: 'D' },
            },
          },
        },
      },
    },
  })
})
