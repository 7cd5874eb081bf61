/** Checks of files and directories: modes, rights, file systems, free space. */
import { accessSync, chmodSync, constants, existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { modeForOthers } from '../config/file.ts'
import { initialPasswordPath } from '../config/secret-files.ts'
import { defineDoctorCheck, defineDoctorFix, type Finding, fixErrors } from './check.ts'
import { type Places, places } from './service.ts'

const mib = 1024 ** 2
/** Below these, uploads are about to fail, or fail. */
const freeBytesLow = 1024 * mib
const freeBytesMin = 100 * mib

const fixName = 'kernel.file-mode'
const ownerOnly = 0o700
const othersMask = 0o007

/** The configuration file holds the wallet key, the database the keys of S3 users. They belong to the user that runs svc. */
const ownFiles = ({ configPath, databasePath }: Places): readonly string[] => [
  configPath,
  initialPasswordPath(configPath),
  ...databaseFiles(databasePath),
]

const databaseFiles = (path: string | undefined): readonly string[] => (path === undefined ? [] : [path, `${path}-wal`, `${path}-shm`])

export const permissionsCheck = defineDoctorCheck({
  name: 'kernel.permissions',
  title: 'Files with secrets: only the owner may access them',
  proves: [],
  cost: 'quick',
  uses: { places },
  async look({ places }) {
    const files = ownFiles(places)
    const findings = files.flatMap((path): readonly Finding[] => {
      const mode = modeForOthers(path)
      if (mode === undefined) return []
      return [
        {
          severity: 'error',
          subject: { kind: 'file', id: path },
          message: `other users may access a file with secrets (mode ${mode})`,
          repair: `Run chmod 600 ${path}, and replace its secrets if others use this machine`,
          fix: { name: fixName, target: path },
        },
      ]
    })
    return { findings: [...findings, ...places.secretFiles.flatMap(judgeForeign)], compared: files.length + places.secretFiles.length }
  },
})

/**
 * A file such as a TLS key may be readable for a group, and svc itself may need the rights of others: which fix is safe depends on its owner.
 */
function judgeForeign(path: string): readonly Finding[] {
  const subject = { kind: 'file', id: path }
  let mode: string | undefined
  try {
    mode = modeForOthers(path)
  } catch (error) {
    const repair = 'Run svc doctor as the user that runs svc, and let this user enter the folders of the file'
    return [
      { severity: 'warning', subject, message: `the rights of a file with a secret are not known: ${(error as Error).message}`, repair },
    ]
  }
  if (mode === undefined || (Number.parseInt(mode, 8) & othersMask) === 0) return []
  return [
    {
      severity: 'error',
      subject,
      message: `all users may access a file with a secret (mode ${mode})`,
      repair: `Give it to the user or the group that runs svc, run chmod o-rwx ${path}, and replace the secret if others use this machine`,
    },
  ]
}

export const fileModeFix = defineDoctorFix({
  name: fixName,
  title: 'Remove the rights of other users',
  target: { form: 'the path of a file of svc', pattern: /^[^\0]+$/ },
  uses: { places },
  async apply({ places }, target) {
    if (!ownFiles(places).includes(target)) throw fixErrors.doctor_fix_target_invalid({ message: `${target} is not a file of svc` })
    if (modeForOthers(target) === undefined) return false
    chmodSync(target, statSync(target).mode & ownerOnly)
    return true
  },
})

interface FileSystem {
  /** Magic number of the type on Linux. */
  readonly type: number
  readonly bsize: number
  readonly bavail: number
}

const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
])

/** Calls of the system. Tests replace them. */
interface DiskCalls {
  stat(path: string): Promise<FileSystem>
  /** Throws when the process may not do it. */
  access(path: string, mode: number): void
}

export const directoriesCheck = createDirectoriesCheck({ stat: (path) => statfs(path), access: accessSync })

export function createDirectoriesCheck(calls: DiskCalls) {
  return defineDoctorCheck({
    name: 'kernel.directories',
    title: 'Directories of the database and the cache: present, writable, on a local disk with free space; files of the database: writable',
    proves: [],
    cost: 'quick',
    uses: { places },
    async look({ places: { databasePath: path, directories } }) {
      const database = path === undefined ? [] : [{ label: 'directory of the database', path: dirname(path) }]
      const all = [...database, ...directories]
      const findings = await Promise.all(all.map(({ label, path }) => examine(label, path, calls)))
      const files = databaseFiles(path).map((file) => ({ label: 'file', path: file, mode: constants.W_OK }))
      const folders = directories.flatMap(({ label, path, folders }) =>
        folders.map((name) => ({ label, path: join(path, name), mode: constants.W_OK | constants.X_OK })),
      )
      // The database makes some of its files, and the cache its folders, when they are needed.
      const inner = [...files, ...folders].filter(({ path }) => existsSync(path))
      const denied = inner.filter(({ path, mode }) => !isAllowed(calls, path, mode))
      return {
        findings: [...findings.flat(), ...denied.map(({ label, path }) => notWritable(label, path))],
        compared: all.length + inner.length,
      }
    },
  })
}

/** Not on Windows. */
const userOf = (): string => (process.getuid ? ` (id ${process.getuid()})` : '')

const notWritable = (label: string, path: string): Finding => ({
  severity: 'error',
  subject: { kind: label, id: path },
  message: `the user of this check${userOf()} may not write ${label === 'file' ? 'it' : 'there'}`,
  repair:
    'Give it to the user that runs svc, such as with chown; if its disk is mounted read-only, mount it for writing. If svc runs as another user, run svc doctor as that one',
})

async function examine(label: string, path: string, calls: DiskCalls): Promise<readonly Finding[]> {
  const finding = (severity: Finding['severity'], message: string, repair: string): Finding => ({
    severity,
    subject: { kind: label, id: path },
    message,
    repair,
  })
  if (!existsSync(path)) return [finding('error', 'the directory is missing', 'Mount its disk, or correct the setting that names it')]
  const { type, bsize, bavail } = await calls.stat(path)
  const free = bsize * bavail
  const network = process.platform === 'linux' ? networkTypes.get(type) : undefined
  return [
    ...(isAllowed(calls, path, constants.W_OK | constants.X_OK) ? [] : [notWritable(label, path)]),
    ...(network === undefined
      ? []
      : [finding('error', `the file system is ${network}, whose locks and fsync are not reliable`, 'Move the data to a local disk')]),
    ...(free >= freeBytesLow
      ? []
      : [finding(free < freeBytesMin ? 'error' : 'warning', `the disk has ${Math.floor(free / mib)} MiB left`, 'Free some space')]),
  ]
}

function isAllowed({ access }: DiskCalls, path: string, mode: number): boolean {
  try {
    access(path, mode)
    return true
  } catch {
    // Any error means that a write would fail.
    return false
  }
}
