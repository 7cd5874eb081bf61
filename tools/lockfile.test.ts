import { readFileSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { expect, test } from 'vitest'

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly optional?: boolean
  readonly link?: boolean
  readonly os?: string | readonly string[]
  readonly cpu?: string | readonly string[]
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
/** Not this project and its workspace, which come with the clone. */
const installed = Object.entries(lock.packages).filter(([place, { link }]) => /(^|\/)node_modules\//.test(place) && link !== true)
const isForThisPlatform = ({ os, cpu }: LockedPackage) =>
  [os ?? platform()].flat().includes(platform()) && [cpu ?? arch()].flat().includes(arch())

// Plain JavaScript without types.
const { pinnedNode } = await import(new URL('../cli/pinned-node.js', import.meta.url).href)

test('every package that is installed on this platform is pinned by its hash', () => {
  expect(installed.filter(([, entry]) => isForThisPlatform(entry) && entry.integrity === undefined)).toEqual([])
  expect(installed.filter(([, { integrity, optional }]) => integrity === undefined && optional !== true)).toEqual([])
})

test('the pinned Node is a package of the lockfile, not a download of an install script', () => {
  const place = `node_modules/${pinnedNode.split('/').at(-3)}`
  expect(lock.packages[place]).toMatchObject({ version: process.versions.node, integrity: expect.stringMatching(/^sha512-/) })
  expect(Object.keys(lock.packages)).not.toContain('node_modules/node')
})
