import { join } from 'node:path'
import { expect, test } from 'vitest'
import { uiFolder } from './build-paths.ts'
import { kitNames, unrollKit } from './unroll-kit.ts'

function transform(code: string): string | undefined {
  const { transform } = unrollKit() as { readonly transform: (code: string, id: string) => { readonly code: string } | undefined }
  return transform(code, '/plugin/ui/page.tsx')?.code
}

const file = (path: string): string => JSON.stringify(join(uiFolder, 'src', path))

test.each(["'@svc/ui-kit'", "'svc/ui-kit'", '"svc/ui-kit"', "'@svc-gateway/svc/ui-kit'"])(
  'an import from %s is one from each file of the kit',
  (name) => {
    expect(transform(`import { Card, go as leave, type Tone } from ${name}`)).toBe(
      `import { Card } from ${file('kit/card.tsx')};import { go as leave } from ${file('router/location.ts')}`,
    )
    expect(name.slice(1, -1)).toMatch(kitNames)
  },
)

test('a name that the kit does not have fails the build, and other packages stay', () => {
  expect(() => transform(`import { Nothing } from 'svc/ui-kit'`)).toThrow('@svc/ui-kit has no Nothing.')
  const other = `import { Card } from 'other/ui-kit'`
  expect(transform(other) ?? other).toBe(other)
})
