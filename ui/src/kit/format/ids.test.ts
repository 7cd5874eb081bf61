import { expect, test } from 'vitest'
import { shortenId, shortenKey, showHidden } from './ids.ts'

test('a long id keeps its ends, a short one all of it', () => {
  expect([shortenId('0x8f3a9bd1c2e4f5a6'), shortenId('0x8f3a9bd1c2e'), shortenId('4101')]).toEqual([
    '0x8f3a…e4f5a6',
    '0x8f3a9bd1c2e',
    '4101',
  ])
})

test('letters outside the basic plane stay whole', () => {
  expect(shortenId('🎉'.repeat(20), 2)).toBe('🎉🎉…🎉🎉')
})

test('a key of 1,024 letters is cut to the limit and keeps its end', () => {
  const short = shortenKey(`${'a'.repeat(1020)}.bin`)
  expect([[...short].length, short.endsWith('.bin'), short.includes('…')]).toEqual([160, true, true])
})

test('letters that change or hide the text around them become visible', () => {
  expect(showHidden('\u202egpj.exe')).toBe('‹202E›gpj.exe')
  expect(showHidden('a\nb\u0000\u007f')).toBe('a‹A›b‹0›‹7F›')
  expect(showHidden('a\u200bb\ufeff\u2028')).toBe('a‹200B›b‹FEFF›‹2028›')
})

test('joiners show only beside ASCII letters', () => {
  expect(showHidden('👩‍👧.png')).toBe('👩‍👧.png')
  expect(showHidden('می‌خواهم')).toBe('می‌خواهم')
  expect(showHidden('admin\u200d')).toBe('admin‹200D›')
})

test('ordinary keys of every script and with markup stay as they are', () => {
  for (const key of ['<img src=x onerror=alert(1)>', '../..', 'صور/بحر.jpg', '日本語/ファイル', 'a  b ', '%2e\'&amp;"', '🎉'])
    expect(showHidden(key)).toBe(key)
})
