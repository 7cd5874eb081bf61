import { type Disk, realDisk } from '../cache/files/disk.ts'

/** A real disk whose writes of bytes fail with this code. */
export function fullDisk(code: string): Disk {
  return { ...realDisk, write: () => Promise.reject(Object.assign(new Error(`${code}: injected`), { code })) }
}
