/** The beginning of an item of a list, with its white space as the first group. */
export const LIST_ITEM = /^(\s*)(?:[-*+•]|\d{1,3}[.)])\s/u
