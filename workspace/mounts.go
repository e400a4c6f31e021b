package workspace

import (
	"path/filepath"
	"slices"
	"strings"

	"mirage/internal/doc"
	"mirage/policy"
	"mirage/vfs"
)

// The keys of a mount block.
var (
	mountKeys  = []string{"vfs", "config", "mode", "read", "write", "ttl", "index", "command_limits", "backend", "mountpoint"}
	mountLater = []string{"read", "write", "ttl", "index", "mountpoint"}
)

// laterBackends are the kinds of mount that are known but not built yet.
var laterBackends = strings.Fields(`redis s3 minio ceph seaweedfs r2 gcs oci supabase wasabi backblaze digitalocean
	tencent aliyun scaleway qingstor ssh postgres mongodb gridfs github onedrive sharepoint gdrive gdocs gsheets gslides
	dropbox box hf slack gmail linear notion discord airtable chroma qdrant lancedb wandb email gcal`)

// reservedPlaces are the workspace's own; no mount of a configuration may lie
// at or below them.
var reservedPlaces = []string{"/dev", "/usr/bin", "/bin", "/.bash_history"}

func (c *Config) parseMounts(n doc.Node) error {
	mode := vfs.Write
	if v := n.At("mode"); v.Value != nil {
		var err error
		if mode, err = parseMode(v); err != nil {
			return err
		}
	}
	mounts := n.At("mounts")
	if mounts.Value == nil {
		return n.Errorf("mounts: required")
	}
	if err := mounts.Map(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, key := range mounts.Keys() {
		prefix, ok := policy.CleanPrefix(key)
		if !ok {
			return mounts.Errorf("bad mount prefix: '%s'", key)
		}
		if seen[prefix] {
			return mounts.Errorf("duplicate mount prefix: '%s'", withSlash(prefix))
		}
		seen[prefix] = true
		for _, place := range reservedPlaces {
			if prefix == place || strings.HasPrefix(prefix, place+"/") {
				return mounts.Errorf("reserved mount prefix: '%s'", withSlash(prefix))
			}
		}
		m, err := parseMount(mounts.At(key), mode)
		if err != nil {
			return err
		}
		m.prefix = prefix
		c.mounts = append(c.mounts, m)
	}
	slices.SortFunc(c.mounts, func(a, b mountConfig) int { return strings.Compare(a.prefix, b.prefix) })
	return nil
}

// withSlash writes a prefix the way the wire shows it.
func withSlash(prefix string) string { return strings.TrimSuffix(prefix, "/") + "/" }

func parseMode(n doc.Node) (vfs.Mode, error) {
	text, err := n.String()
	if err != nil {
		return 0, err
	}
	mode, ok := policy.ParseMode(text)
	if !ok {
		return 0, n.Errorf("unknown mode '%s'; expected read, write or exec", text)
	}
	return mode, nil
}

func parseMount(n doc.Node, mode vfs.Mode) (m mountConfig, err error) {
	if err := n.Map(mountKeys...); err != nil {
		return m, err
	}
	for _, key := range mountLater {
		if v := n.At(key); v.Value != nil {
			return m, v.Unsupported()
		}
	}
	if v := n.At("backend"); v.Value != nil && v.Value != "workspace" {
		return m, v.Unsupported()
	}
	if m.limits, err = policy.ParseLimits(n.At("command_limits")); err != nil {
		return m, err
	}
	m.mode = mode
	if v := n.At("mode"); v.Value != nil {
		if m.mode, err = parseMode(v); err != nil {
			return m, err
		}
	}
	kind := n.At("vfs")
	if kind.Value == nil {
		return m, n.Errorf("vfs: required")
	}
	if m.kind, err = kind.String(); err != nil {
		return m, err
	}
	settings := n.At("config")
	if settings.Value == nil {
		settings.Value = map[string]any{}
	}
	if err := settings.Map(); err != nil {
		return m, err
	}
	switch {
	case m.kind == "ram":
		return m, onlyKeys(m.kind, settings)
	case m.kind == "disk":
		m.root, err = parseDisk(settings)
		return m, err
	case slices.Contains(laterBackends, m.kind), strings.HasPrefix(m.kind, "./"):
		return m, doc.Node{Path: "vfs " + m.kind}.Unsupported()
	}
	return m, kind.Errorf("unknown vfs '%s'", m.kind)
}

func onlyKeys(kind string, n doc.Node, known ...string) error {
	for _, key := range n.Keys() {
		if !slices.Contains(known, key) {
			return doc.Node{Path: n.Path}.Errorf("%s: %s: unknown key", kind, key)
		}
	}
	return nil
}

// parseDisk reads the settings of a disk mount. Whether the directory exists
// is known only when the mount is made.
func parseDisk(n doc.Node) (root string, err error) {
	if err := onlyKeys("disk", n, "root", "folder_versions"); err != nil {
		return "", err
	}
	if v := n.At("folder_versions"); v.Value != nil && v.Value != true {
		return "", v.Unsupported()
	}
	v := n.At("root")
	if v.Value == nil {
		return "", doc.Node{Path: n.Path}.Errorf("disk: root: required")
	}
	root, ok := v.Value.(string)
	if !ok {
		return "", doc.Node{Path: n.Path}.Errorf("disk: root must be a string, got %s", doc.Kind(v.Value))
	}
	if !filepath.IsAbs(root) || strings.Contains(root, "\x00") {
		return "", doc.Node{Path: n.Path}.Errorf("disk: root: must be an absolute path: '%s'", root)
	}
	return filepath.Clean(root), nil
}
