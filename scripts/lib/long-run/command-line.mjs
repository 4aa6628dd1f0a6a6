/**
 * Reads the arguments of a tool: `option` takes `--name value` out of them, `args` are the others. `--help` prints the
 * help and ends the process.
 */
export function commandLine(help, args = process.argv.slice(2)) {
  if (args.includes('--help')) {
    console.log(help)
    process.exit(0)
  }
  return {
    args,
    option(name, fallback) {
      const index = args.indexOf(name)
      return index < 0 ? fallback : args.splice(index, 2)[1]
    },
  }
}
