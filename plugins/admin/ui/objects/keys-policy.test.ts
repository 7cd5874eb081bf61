import { describe, expect, test } from 'vitest'
import { findKeyProblem, foldCrumbs, folderOf, foldersOf, nameIn, wordFor } from './keys-policy.ts'

describe('keys and folders', () => {
  test('a prefix leads through its folders, also those without a name', () => {
    expect(foldersOf('')).toEqual([])
    expect(foldersOf('a/b/')).toEqual([
      { name: 'a', prefix: 'a/' },
      { name: 'b', prefix: 'a/b/' },
    ])
    expect(foldersOf('a//../')).toEqual([
      { name: 'a', prefix: 'a/' },
      { name: '', prefix: 'a//' },
      { name: '..', prefix: 'a//../' },
    ])
    expect(foldersOf('/')).toEqual([{ name: '', prefix: '/' }])
    expect(foldersOf('a/b')).toEqual([{ name: 'a', prefix: 'a/' }])
  })

  test('a long way is folded between its first folder and its last two, and no folder is left out', () => {
    const names = (prefix: string) => {
      const { first, folded, last } = foldCrumbs(foldersOf(prefix))
      return [first, folded, last].map((part) => part.map(({ name }) => name).join(''))
    }
    expect(names('a/b/c/d/')).toEqual(['abcd', '', ''])
    expect(names('a/b/c/d/e/')).toEqual(['a', 'bc', 'de'])
    expect(names('a/b/c/d/e/f/g/')).toEqual(['a', 'bcde', 'fg'])
  })

  test('a row shows the key without its folder, and a placeholder shows all of it', () => {
    expect(nameIn('a/', 'a/b.txt')).toBe('b.txt')
    expect(nameIn('a/', 'a/')).toBe('a/')
    expect(folderOf('a/b/c')).toBe('a/b/')
    expect(folderOf('c')).toBe('')
  })

  test('keys are counted in bytes', () => {
    expect(findKeyProblem('é'.repeat(512))).toBeUndefined()
    expect(findKeyProblem('é'.repeat(513))).toContain('1026 bytes')
    expect(findKeyProblem('')).toContain('empty')
    expect(findKeyProblem('a\0')).toContain('NUL')
    expect(findKeyProblem('../<img onerror>%2F/')).toBeUndefined()
  })

  test('a key that can be typed is its own word', () => {
    expect(wordFor('photos/ä 1.jpg')).toBe('photos/ä 1.jpg')
    expect(wordFor('🪣')).toBe('🪣')
    for (const key of ['\u202Egpj.exe', 'a\nb', 'x'.repeat(81), ' a', 'a ']) expect(wordFor(key)).toBe('delete forever')
  })
})
