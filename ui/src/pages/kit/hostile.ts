/** Names as they may come from S3 clients and providers. */
export const hostileNames: readonly string[] = [
  '<img src=x onerror=alert(1)>',
  '../../etc/passwd',
  '\u202egpj.exe',
  'صور/عطلة 2026/بحر.jpg',
  '👩‍👩‍👧‍👦/🎉.png',
  'two\nlines\tand a bell\u0007',
  'a'.repeat(1024),
  `${'folder/'.repeat(140)}end.bin`,
  ' spaces  inside and at the end ',
  '%2e%2e%2f"quotes"\'&amp;',
]
