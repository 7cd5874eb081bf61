import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder of a cache whose disk may vanish and return. */
export interface MountedCache extends Disposable {
  /** For `openObjectStorage`. */
  readonly dir: string
  /** Removes the disk from the path, as when its mount is lost. */
  drop(): void
  /** The empty folder that is at the path without the disk. */
  readonly below: string
  restore(): void
  /** Puts another copy of the disk at the path, on another device where it is mounted. */
  replace(): void
}

interface MountedDisk extends MountedCache {
  remount(mode: 'ro' | 'rw'): void
}

const run = (...command: readonly string[]): boolean => spawnSync(command[0] as string, command.slice(1), { stdio: 'ignore' }).status === 0

/** Only root may mount, and not in every container. */
export const canMount = (() => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-mount-'))
  try {
    return process.platform === 'linux' && run('mount', '-t', 'tmpfs', 'tmpfs', dir) && run('umount', dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})()

/** A file system in memory, mounted at `cache`. A lazy unmount takes it away from open files too. */
export function mountCache(): MountedDisk {
  const root = mkdtempSync(join(tmpdir(), 'svc-mount-'))
  const [dir, disk, other] = [join(root, 'data'), join(root, 'disk'), join(root, 'other')]
  const at = join(dir, 'cache')
  for (const path of [at, disk, other]) mkdirSync(path, { recursive: true })
  const mount = (...line: readonly string[]) => {
    if (!run('mount', ...line)) throw new Error(`mount ${line.join(' ')} failed`)
  }
  mount('-t', 'tmpfs', 'tmpfs', disk)
  mount('--bind', disk, at)
  return {
    dir,
    below: at,
    drop: () => void run('umount', '-l', at),
    restore: () => mount('--bind', disk, at),
    remount: (mode) => mount('-o', `remount,bind,${mode}`, at),
    replace() {
      mount('-t', 'tmpfs', 'tmpfs', other)
      run('cp', '-a', `${disk}/.`, other)
      mount('--bind', other, at)
    },
    [Symbol.dispose]() {
      for (const path of [at, other, disk]) while (run('umount', '-l', path));
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** The same without mounts: the folder is renamed, and an empty one is in its place. */
export function renameCache(): MountedCache {
  const dir = mkdtempSync(join(tmpdir(), 'svc-rename-'))
  const [at, disk] = [join(dir, 'cache'), join(dir, 'disk')]
  const clear = () => rmSync(at, { recursive: true, force: true })
  return {
    dir,
    below: at,
    drop() {
      if (!existsSync(disk)) renameSync(at, disk)
      mkdirSync(at)
    },
    restore() {
      clear()
      renameSync(disk, at)
    },
    replace() {
      clear()
      run('cp', '-a', disk, at)
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}
