import { expect, test } from 'vitest'
import { Badge } from './badge.tsx'
import { PageHeader } from './page-header.tsx'
import { createScreen, find } from './testing/dom.ts'

test('a badge goes where its slot says', async () => {
  const { screen, render } = await createScreen()
  await render(
    <PageHeader title="Bucket">
      <Badge q:slot="badge" tone="danger">
        failed
      </Badge>
    </PageHeader>,
  )
  expect(find(screen, 'h1').parentElement?.textContent).toBe('Bucketfailed')
})
