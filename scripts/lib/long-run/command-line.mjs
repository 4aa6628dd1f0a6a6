/**
 * Reads the arguments of a tool: `option` takes `--name value` out of them, `words` is the rest. `--help` prints the help
 * and ends the process.
 */
export function commandLine(help, words = process.argv.slice(2)) {
  if (words.includes('--help')) {
    console.log(help)
    process.exit(0)
  }
  return {
    words,
    option(name, otherwise) {
      const at = words.indexOf(name)
      return at < 0 ? otherwise : words.splice(at, 2)[1]
    },
  }
}
