import { listenAddress } from '../config/listen-address.ts'
import { defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'
import type { TextRule } from '../config/value-rule.ts'
import { isAddressOrSubnet } from './trusted-proxy.ts'

const proxyForm = 'an IP address or a CIDR such as 10.0.0.0/8'
const proxy: TextRule = { expected: proxyForm, mustBe: (entry) => (isAddressOrSubnet(entry) ? undefined : proxyForm) }

export const adminSection = defineSection('admin', {
  doc: 'The dashboard and Admin API.',
  keys: {
    addr: setting.text(
      {
        label: 'Listen address',
        doc: 'host:port; keep it on loopback and put an HTTPS proxy or an SSH tunnel in front.',
        default: '127.0.0.1:9090',
      },
      listenAddress,
    ),
    trusted_proxies: setting.list(
      {
        label: 'Trusted proxies',
        doc: 'IP addresses or CIDRs whose forwarded headers are honoured. Leave empty without a proxy that strips them.',
        default: [],
      },
      proxy,
    ),
    supervised: setting.flag({
      label: 'Supervised',
      doc: 'A supervisor, such as systemd or a container with a restart policy, starts svc again after exit code 75: an admin may restart it through the Admin API and the dashboard.',
      default: false,
    }),
  },
})

/** The output length of the HMAC-SHA256 that it keys: a shorter secret could be guessed offline from one cookie. */
const sessionSecretBytesMin = 32

export const adminAuthSection = defineSection('admin.auth', {
  doc: 'Sign-in to the dashboard and Admin API.',
  keys: {
    enabled: setting.flag({
      label: 'Authentication',
      doc: 'When false, every program on this machine has full access to the Admin API; admin.addr must then be a loopback address.',
      default: true,
      written: true,
    }),
    username: setting.text({ label: 'Username', doc: 'Login name of the operator.', default: 'admin', written: true }),
    password_hash: setting.secret({
      label: 'Password hash',
      doc: 'Written by `svc init` and `svc admin-auth reset-password`.',
      written: true,
    }),
    session_secret: setting.secret({
      label: 'Session secret',
      doc: 'Signs browser sessions; changing it ends them all. At least 32 bytes.',
      written: true,
    }),
    session_ttl: setting.duration({ label: 'Session lifetime', doc: 'Lifetime of a browser session without renewal.', default: '12h' }),
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
