/** The configuration sections that belong to the kernel itself. */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isAddressOrSubnet } from '../auth/trusted-proxy.ts'
import { isPostgres } from '../config/database-path.ts'
import { listenAddress } from '../config/listen-address.ts'
import { databaseSource } from '../config/path-rule.ts'
import { defineSection } from '../config/section.ts'
import { choice, duration, flag, integer, list, secret, text } from '../config/setting.ts'
import type { TextRule } from '../config/value-rule.ts'

const proxyForm = 'an IP address or a CIDR such as 10.0.0.0/8'
const proxy: TextRule = { expected: proxyForm, mustBe: (entry) => (isAddressOrSubnet(entry) ? undefined : proxyForm) }

export const adminSection = defineSection('admin', {
  doc: 'The dashboard and Admin API.',
  keys: {
    addr: text(
      {
        label: 'Listen address',
        doc: 'host:port; keep it on loopback and put an HTTPS proxy or an SSH tunnel in front.',
        default: '127.0.0.1:9090',
      },
      listenAddress,
    ),
    trusted_proxies: list(
      {
        label: 'Trusted proxies',
        doc: 'IP addresses or CIDRs whose forwarded headers are honoured. Leave empty without a proxy that strips them.',
        default: [],
      },
      proxy,
    ),
  },
})

/** The output length of the HMAC-SHA256 that it keys: a shorter secret could be guessed offline from one cookie. */
const sessionSecretBytesMin = 32

export const adminAuthSection = defineSection('admin.auth', {
  doc: 'Sign-in to the dashboard and Admin API.',
  keys: {
    enabled: flag({
      label: 'Authentication',
      doc: 'When false, every program on this machine has full access to the Admin API; admin.addr must then be a loopback address.',
      default: true,
      written: true,
    }),
    username: text({ label: 'Username', doc: 'Login name of the operator.', default: 'admin', written: true }),
    password_hash: secret({ label: 'Password hash', doc: 'Written by `svc init` and `svc admin-auth reset-password`.', written: true }),
    session_secret: secret({
      label: 'Session secret',
      doc: 'Signs browser sessions; changing it ends them all. At least 32 bytes.',
      written: true,
    }),
    session_ttl: duration({ label: 'Session lifetime', doc: 'Lifetime of a browser session without renewal.', default: '12h' }),
  },
  check: ({ enabled, username, password_hash, session_secret }) => {
    if (!enabled) return []
    const needs = (key: string, value: unknown) =>
      value ? [] : [{ key, message: 'must not be empty while admin.auth.enabled is true; run `svc init`' }]
    const isGuessable = session_secret !== undefined && session_secret !== '' && Buffer.byteLength(session_secret) < sessionSecretBytesMin
    const weak = {
      key: 'session_secret',
      message: `must have at least ${sessionSecretBytesMin} bytes; put ${sessionSecretBytesMin} random bytes there, or run \`svc admin-auth reset-password\`, which also makes a new password`,
    }
    return [
      ...needs('username', username),
      ...needs('password_hash', password_hash),
      ...needs('session_secret', session_secret),
      ...(isGuessable ? [weak] : []),
    ]
  },
})

/** As written and as sent, from both places that a postgres: URL has for it. */
function passwordOfDsn(dsn: string): readonly string[] {
  const url = URL.parse(dsn)
  const written = [url?.password, url?.search.match(/[?&]password=([^&]*)/)?.[1]].filter((text) => text !== undefined && text !== '')
  return [...new Set(written.flatMap((text) => [text as string, decoded(text as string)]))]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const databaseSection = defineSection('database', {
  doc: 'The metadata database.',
  keys: {
    driver: choice(['sqlite', 'postgres'], {
      label: 'Driver',
      doc: 'Database engine. It must be that of `database.dsn`.',
      default: 'sqlite',
      written: true,
    }),
    dsn: secret(
      {
        label: 'Data source',
        doc:
          'Path or file: URL of the SQLite database, or the postgres: URL of an empty database of PostgreSQL 15 or later. Keep SQLite on a ' +
          'local disk: some network file systems ignore the locks that exclude a second svc. Connections to another host use ' +
          '`sslmode=verify-full` unless the URL chooses another mode; a pooler before the server must be in session mode.',
        default: ({ dataDir }) => pathToFileURL(join(dataDir, 'db', 'svc.db')).href,
        written: true,
        // A path may appear in messages, the password of a server may not.
        secretParts: passwordOfDsn,
      },
      databaseSource,
    ),
    allow_unsafe: flag({
      label: 'Allow an unsafe server',
      doc: 'Accept a PostgreSQL server with `fsync` or `full_page_writes` off, which loses confirmed writes in a crash. Only for tests.',
      default: false,
    }),
  },
  check: ({ driver, dsn }) =>
    isPostgres(dsn) === (driver === 'postgres')
      ? []
      : [{ key: 'driver', message: `must be '${isPostgres(dsn) ? 'postgres' : 'sqlite'}', the engine of database.dsn` }],
})

export const loggingSection = defineSection('logging', {
  doc: 'The log, on standard error.',
  keys: {
    level: choice(['debug', 'info', 'warn', 'error'], {
      label: 'Level',
      doc: 'Lines below this level are omitted.',
      default: 'info',
      editable: true,
    }),
    format: choice(['text', 'json'], { label: 'Format', doc: 'Text for people, JSON for machines.', default: 'text', editable: true }),
  },
})

export const workerSection = defineSection('worker.tasks', {
  doc: 'Background tasks.',
  keys: {
    concurrency: integer({
      label: 'Concurrency',
      doc: 'Tasks that run at the same time.',
      default: 12,
      min: 1,
      editable: true,
      risk: 'review',
    }),
    provider_mutation_concurrency: integer({
      label: 'Paid work',
      doc: 'Of those, tasks that spend money or change something at a provider: data sets, transfers between providers, commits.',
      default: 4,
      min: 1,
      editable: true,
      risk: 'review',
    }),
    destructive_mutation_concurrency: integer({
      label: 'Removals',
      doc: 'Of those, tasks that remove something from a provider.',
      default: 2,
      min: 1,
      editable: true,
      risk: 'review',
    }),
    poll_interval: duration({
      label: 'Poll interval',
      doc: 'Longest time between two polls for due tasks; new tasks start at once.',
      default: '5s',
      minMs: 50,
      editable: true,
    }),
    lease_duration: duration({
      label: 'Lease',
      doc: 'Validity of a task lease without renewal: the tasks of a dead process run again after this time.',
      default: '60s',
      minMs: 1000,
      editable: true,
    }),
    max_retries: integer({
      label: 'Retries',
      doc: 'Retries of a failing task, with growing pauses, before it fails and needs an operator. 11 retries take about half an hour. Waiting for a provider, the chain or funds does not count.',
      default: 11,
      min: 0,
      editable: true,
      risk: 'review',
    }),
    retention: duration({
      label: 'Retention',
      doc: 'Task records are deleted this long after completion, or after their failure is acknowledged.',
      default: '168h',
      editable: true,
    }),
  },
})

export const pluginsSection = defineSection('plugins', {
  doc: 'Which plugins run.',
  keys: {
    disabled: list({
      label: 'Disabled plugins',
      doc: 'Ids of disabled plugins. Their data and pending tasks stay unchanged.',
      default: [],
      editable: true,
      risk: 'high',
    }),
    packages: list({ label: 'Third-party plugins', doc: 'npm package names, or paths relative to the configuration file.', default: [] }),
  },
})

export const kernelSections = [adminSection, adminAuthSection, databaseSection, loggingSection, workerSection, pluginsSection] as const
