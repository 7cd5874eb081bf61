import { expect, test } from 'vitest'
import { Copyable, KeyText } from './copyable.tsx'
import { PageHeader } from './page-header.tsx'
import { all, createScreen, textsOf } from './testing/dom.ts'

const name = '<img src=x onerror=alert(1)>\u202egpj'

test('names from outside are text, with invisible characters shown', async () => {
  const { screen, render } = await createScreen()
  await render(
    <>
      <KeyText text={name} />
      <PageHeader title={name} crumbs={[{ label: name, to: '/b' }]} />
      <Copyable text={name} label="name" keep={40} />
    </>,
  )
  expect(all(screen, 'img')).toEqual([])
  expect(textsOf(screen, 'bdi')).toEqual(Array(4).fill('<img src=x onerror=alert(1)>‹202E›gpj'))
})
