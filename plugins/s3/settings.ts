// Configuration of the S3 API and of the server it listens on.

import { choice, defineSection, duration, flag, integer, list, listenAddress, nonEmptyText, type SettingValues, text } from '#kernel'

export const serverSection = defineSection('server', {
  doc: 'The server of the S3 API.',
  keys: {
    port: text(
      {
        label: 'Listen address',
        doc: 'host:port; without a host the S3 API answers on every interface.',
        default: ':8080',
        editable: true,
        risk: 'review',
        written: true,
      },
      listenAddress,
    ),
    max_connections: integer({
      label: 'Connections',
      doc: 'Connections open at the same time; further ones are dropped.',
      default: 4096,
      min: 1,
      editable: true,
      risk: 'review',
    }),
    max_connections_per_client: integer({
      label: 'Connections of a client',
      doc: 'Of those, connections of one client address (an IPv6 /64 is one client); further ones are dropped. 0: a quarter of them. Behind a proxy every client has its address: set it to server.max_connections there.',
      default: 0,
      min: 0,
      editable: true,
      risk: 'review',
    }),
    max_requests: integer({
      label: 'Requests',
      doc: 'Requests answered at the same time; further ones get 503 SlowDown.',
      default: 512,
      min: 1,
      editable: true,
      risk: 'review',
    }),
  },
  check: ({ max_connections, max_requests }) =>
    max_requests > max_connections
      ? [{ key: 'max_requests', message: `(${max_requests}) must be <= server.max_connections, got ${max_connections}` }]
      : [],
})

export const serverTlsSection = defineSection('server.tls', {
  doc: 'TLS of the S3 API. Switch it on, or put a proxy that ends TLS in front.',
  keys: {
    enabled: flag({ label: 'TLS', doc: 'Serves the S3 API over HTTPS.', default: false, editable: true, risk: 'review' }),
    cert_file: text({ label: 'Certificate', doc: 'Path of the PEM certificate chain.', default: '', editable: true, risk: 'review' }),
    key_file: text({ label: 'Private key', doc: 'Path of the PEM private key.', default: '', editable: true, risk: 'review' }),
  },
  check: ({ enabled, cert_file, key_file }) => {
    const needs = (key: string, value: string) =>
      enabled && value === '' ? [{ key, message: 'must be non-empty while server.tls.enabled is true' }] : []
    return [...needs('cert_file', cert_file), ...needs('key_file', key_file)]
  },
})

export const s3Section = defineSection('s3', {
  doc: 'Behaviour of the S3 API.',
  keys: {
    region: text(
      {
        label: 'Region',
        doc: 'Region clients sign for. us-east-1 is accepted besides it.',
        default: 'us-east-1',
        editable: true,
        risk: 'review',
      },
      nonEmptyText,
    ),
    virtual_host_domains: list({
      label: 'Virtual-host domains',
      doc: 'Domains below which a host name names the bucket: with s3.example.org, photos.s3.example.org is the bucket photos.',
      default: [],
    }),
    storage_class_policy: choice(['reject', 'ignore'], {
      label: 'Storage classes',
      doc: 'What to do with a storage class other than STANDARD: reject the request, or store the object all the same.',
      default: 'reject',
    }),
    sse_s3_header: choice(['reject', 'ignore'], {
      label: 'Encryption header',
      doc: 'What to do with a request for encryption with AES256. Objects are not encrypted here; ignore only if they are already.',
      default: 'reject',
    }),
    default_checksum: choice(['crc64nvme', 'none'], {
      label: 'Default checksum',
      doc: 'Checksum kept with an object whose client sent none.',
      default: 'crc64nvme',
    }),
    body_idle_timeout: duration({
      label: 'Idle timeout',
      doc: 'A transfer is ended after this long without a byte.',
      default: '60s',
    }),
  },
})

export const s3AccessSection = defineSection('logging.s3_access', {
  doc: 'The log of S3 requests: one line for each, once it ended.',
  keys: {
    enabled: flag({ label: 'S3 access log', doc: 'Writes the lines.', default: true, editable: true }),
    level: choice(['debug', 'info', 'warn', 'error'], {
      label: 'Level of the S3 access log',
      doc: 'Level of the lines. Below logging.level they are left out.',
      default: 'info',
      editable: true,
    }),
  },
})

export type S3AccessSettings = SettingValues<(typeof s3AccessSection)['keys']>
export type S3Settings = SettingValues<(typeof s3Section)['keys']>
export type ServerSettings = SettingValues<(typeof serverSection)['keys']>
export type ServerTlsSettings = SettingValues<(typeof serverTlsSection)['keys']>
