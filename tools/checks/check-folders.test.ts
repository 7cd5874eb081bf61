import { expect, test } from 'vitest'
import { findFullFolders, folderLimits } from './check-folders.ts'

const filesIn = (folder: string, count: number) => Array.from({ length: count }, (_, at) => `${folder}/file-${at}.ts`)
const oneLine = () => 1

test('a folder with too many source files is reported, and tests do not count', () => {
  const { filesMax, kernelFilesMax } = folderLimits
  const tests = ['plugins/s3/wire/a.test.ts', 'plugins/s3/wire/b.test.tsx']
  expect(findFullFolders([...filesIn('plugins/s3/wire', filesMax), ...filesIn('kernel', kernelFilesMax), ...tests], oneLine)).toEqual([])
  expect(findFullFolders([...filesIn('plugins/s3/wire', filesMax + 1), ...filesIn('kernel', kernelFilesMax + 1)], oneLine)).toEqual([
    `plugins/s3/wire has ${filesMax + 1} source files; at most ${filesMax}: give a part of them a folder`,
    `kernel has ${kernelFilesMax + 1} source files; at most ${kernelFilesMax}: give a part of them a folder`,
  ])
})

test('a core of the kernel that takes longer than an hour to read is reported', () => {
  const half = () => folderLimits.coreLinesMax / 2
  expect(findFullFolders(filesIn('kernel/core', 2), half)).toEqual([])
  expect(findFullFolders(filesIn('kernel/core', 3), half)).toEqual([
    `kernel/core has ${(folderLimits.coreLinesMax * 3) / 2} lines; at most ${folderLimits.coreLinesMax}`,
  ])
})
