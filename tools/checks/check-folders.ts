/** Folders that can be seen at a glance: the number of files in each, and the size of the core of the kernel. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../source-files.ts'

export const folderLimits = {
  /** Source files in one folder, without tests. */
  filesMax: 25,
  /** Files beside the folders of the kernel. */
  kernelFilesMax: 10,
  /** Plugins, services, extension points, their graph and container: read in an hour. */
  coreLinesMax: 2000,
} as const

const isSource = (path: string): boolean => /\.(tsx?|[cm]?js|sol)$/.test(path) && !/\.test\.tsx?$|\.d\.ts$/.test(path)

export async function checkFolders(): Promise<readonly string[]> {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  const paths = listed.split('\n').filter((path) => isSource(path) && existsSync(join(root, path)))
  return findFullFolders(paths, (path) => readFileSync(join(root, path), 'utf8').split('\n').length - 1)
}

/** Problems, one per line. */
export function findFullFolders(paths: readonly string[], countLines: (path: string) => number): readonly string[] {
  const { filesMax, kernelFilesMax, coreLinesMax } = folderLimits
  const folders = Map.groupBy(paths.filter(isSource), dirname)
  const full = [...folders].flatMap(([folder, files]) => {
    const max = folder === 'kernel' ? kernelFilesMax : filesMax
    return files.length > max ? [`${folder} has ${files.length} source files; at most ${max}: give a part of them a folder`] : []
  })
  const core = (folders.get('kernel/core') ?? []).map(countLines).reduce((sum, lines) => sum + lines, 0)
  return core > coreLinesMax ? [...full, `kernel/core has ${core} lines; at most ${coreLinesMax}`] : full
}
