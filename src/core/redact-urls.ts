/**
 * Replaces what can be secret in each URL of a text by `***`: user and password, query and fragment. Everything that shows a URL
 * of the configuration, or a message of another library, passes through here: answers, traces, logs, `doctor`, the start line.
 * The length of a scheme is bounded, so that the time is linear in the length of the text.
 */
export function redactUrls(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]{0,30}:\/\/)(\S+)/giu, (_, scheme: string, rest: string) => {
    const withoutUser = rest.replace(/^[^?#]*@/u, '***@')
    return `${scheme}${withoutUser.replace(/[?#].*$/u, tail => `${tail.charAt(0)}***`)}`
  })
}
