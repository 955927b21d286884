/** The one tool of the server. */
export const TOOL = "codegraph_explore";
