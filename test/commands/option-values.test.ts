import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { pathOption, urlOption } from '../../src/commands/option-values.ts'

it('a path is no other option', () => {
  expect(['figures.json', './--fresh', '-'].map(pathOption)).toEqual(['figures.json', './--fresh', '-'])
  expect(() => pathOption('--fresh')).toThrow(
    'Expected a path, got the option --fresh; ./--fresh is a file of this name.',
  )
  expect(() => pathOption(' ')).toThrow('not empty')
})

function parse(text: string): string {
  const command = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .option('--url <url>', '', urlOption)
  return command.parse(['--url', text], { from: 'user' }).opts().url
}

describe('an address on the command line', () => {
  it.each(['http://127.0.0.1:6333', 'https://qdrant.example/base'])('is taken as it is: %s', text => {
    expect(parse(text)).toBe(text)
  })

  it.each(['127.0.0.1:6333', 'qdrant', '', 'ftp://qdrant:6333', 'http://'])(
    'is refused with the option, the value and what is wanted: %s',
    text => {
      expect(() => parse(text)).toThrow(/--url.*must be a URL with http:\/\/ or https:\/\/.*got/)
      expect(() => parse(text)).toThrow(JSON.stringify(text))
    },
  )

  it('is refused with a password, which would stand in the list of processes', () => {
    expect(() => parse('http://user:secret@qdrant:6333')).toThrow(/user or password/)
  })
})
