import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findBuildTools } from './build-tools.ts'

let root: string
let manifest: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-tools-')))
  manifest = join(root, 'package.json')
  writeFileSync(manifest, JSON.stringify({ version: '1.0.0', dependencies: { vite: '7.3.8', '@scope/css': '4.3.5' } }))
})
afterEach(() => rmSync(root, { recursive: true }))

function install(folder: string, name: string, version: string): string {
  const place = join(root, folder, 'node_modules', name)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version }))
  return place
}

test('a tool is found in the first folder that has its version, also above the folder', () => {
  const above = install('.', 'vite', '7.3.8')
  install('project', '@scope/css', '4.3.4')
  const elsewhere = install('config', '@scope/css', '4.3.5')
  expect(findBuildTools(manifest, [join(root, 'project'), join(root, 'config')])).toEqual([
    { name: 'vite', folder: above },
    { name: '@scope/css', folder: elsewhere },
  ])
})

test('missing tools and other versions are named with the line that installs them', () => {
  const project = join(root, 'project')
  install('project', 'vite', '8.0.0')
  expect(() => findBuildTools(manifest, [project])).toThrow(
    `svc does not contain the tools that build a dashboard: vite is 8.0.0, not 7.3.8, @scope/css 4.3.5 is missing. Run in ${project}: npm install --save-dev --save-exact vite@7.3.8 @scope/css@4.3.5`,
  )
  install('project', '@scope/css', '4.3.5')
  expect(() => findBuildTools(manifest, [project])).toThrow(/exact vite@7\.3\.8$/)
})
